// Log-linear latency histogram: nanoseconds in, fixed memory, exact merge.
//
// Error bound: below 2^(kSubBits+1) each value has its own slot; above, each power of two is cut into 2^kSubBits slots
// of equal width, so a slot's upper edge exceeds any value in it by less than value / 2^kSubBits: a percentile is high
// by at most 1/128. The range is all of uint64_t, nothing saturates: (65 - 7) x 128 slots, about 59 KB.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace diskproof {

inline constexpr unsigned kSubBits = 7;
inline constexpr std::size_t kHistogramSlots = (65 - kSubBits) << kSubBits;

constexpr std::size_t histogram_slot(std::uint64_t ns) noexcept {
  if (ns < (std::uint64_t{1} << (kSubBits + 1))) return static_cast<std::size_t>(ns);
  const unsigned shift = (static_cast<unsigned>(std::countl_zero(ns)) ^ 63u) - kSubBits;  // of the highest bit
  return (static_cast<std::size_t>(shift) << kSubBits) + static_cast<std::size_t>(ns >> shift);
}

// Largest value that falls into the slot.
constexpr std::uint64_t histogram_upper_edge(std::size_t slot) noexcept {
  if (slot < (std::size_t{1} << (kSubBits + 1))) return slot;
  const unsigned shift = static_cast<unsigned>(slot >> kSubBits) - 1;
  const std::uint64_t base = (slot & ((std::size_t{1} << kSubBits) - 1)) + (std::size_t{1} << kSubBits);
  return (base << shift) + ((std::uint64_t{1} << shift) - 1);
}

// Rank of a percentile among `count` ordered values, 1-based: ceil(count x percent / 100), at least 1. `percent` in
// millionths of a percent. count - rank values lie beyond it.
[[nodiscard]] std::uint64_t percentile_rank(std::uint64_t count, std::uint64_t percent_millionths) noexcept;

class Histogram {
 public:
  // Hot: three updates; a new extreme is rare.
  void record(std::uint64_t ns) noexcept {
    ++slots_[histogram_slot(ns)];
    ++count_;
    sum_ += ns;
    if (ns < min_) [[unlikely]]
      min_ = ns;
    if (ns > max_) [[unlikely]]
      max_ = ns;
  }

  void merge(const Histogram& other) noexcept;
  void clear() noexcept;

  // Adds `count` values to a slot, for reading a stored histogram back; set_exact completes it. Precondition of
  // set_exact: min and max lie in the lowest and the highest slot in use.
  void add_to_slot(std::size_t slot, std::uint64_t count) noexcept;
  void set_exact(std::uint64_t sum, std::uint64_t min, std::uint64_t max) noexcept;

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] std::uint64_t sum() const noexcept { return sum_; }
  // Exact extremes; meaningless while count() is 0.
  [[nodiscard]] std::uint64_t min() const noexcept { return min_; }
  [[nodiscard]] std::uint64_t max() const noexcept { return max_; }
  [[nodiscard]] std::uint64_t slot_count(std::size_t slot) const noexcept { return slots_[slot]; }

  // Smallest value with at least `percent` % of the operations at or below it (integer nearest rank), given as its
  // slot's upper edge and clamped to [min, max]; 100 is the exact maximum. `percent` in millionths of a percent
  // (99.9 % = 99'900'000), so that ranks are integers. Precondition: count() > 0.
  [[nodiscard]] std::uint64_t percentile(std::uint64_t percent_millionths) const noexcept;

  // Operations above `ns`, each taken at its slot's upper edge as percentile() does, so that "p99 > ns" and "more than
  // 1 % above ns" agree; exact for bounds on a slot edge.
  [[nodiscard]] std::uint64_t count_above(std::uint64_t ns) const noexcept;

  // Standard deviation from slot midpoints; within the slot error of the exact one.
  [[nodiscard]] double standard_deviation() const noexcept;

 private:
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
  std::uint64_t min_ = ~std::uint64_t{0};
  std::uint64_t max_ = 0;
  std::array<std::uint64_t, kHistogramSlots> slots_{};
};

}  // namespace diskproof
