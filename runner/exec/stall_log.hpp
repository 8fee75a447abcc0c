// The longest times without a completion of one worker, and their intersection over all workers: the longest time in
// which nothing at all completed.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "support/clock.hpp"

namespace diskproof {

struct Gap {
  Ticks begin = 0;
  Ticks end = 0;
  [[nodiscard]] Ticks length() const noexcept { return end - begin; }
};

// Keeps the kCapacity longest gaps; add is called once per reap that found something.
class StallLog {
 public:
  static constexpr std::size_t kCapacity = 64;

  void add(Gap gap) noexcept {
    if (gap.length() > threshold_) insert(gap);
  }
  // Cuts off what lies behind `end`; nothing is added afterwards.
  void clip(Ticks end) noexcept;
  [[nodiscard]] std::span<const Gap> gaps() const noexcept { return {gaps_.data(), count_}; }

 private:
  void insert(Gap gap) noexcept;

  Ticks threshold_ = 0;  // shortest gap kept once full
  std::size_t count_ = 0;
  std::array<Gap, kCapacity> gaps_{};
};

// The longest gap that all workers share. A worker's log is given with the span [begin, end) in which it ran; outside
// of it the worker completed nothing by definition.
struct WorkerStalls {
  std::span<const Gap> gaps;
  Ticks begin = 0;
  Ticks end = 0;
};
Ticks longest_common_gap(std::span<const WorkerStalls> workers);

}  // namespace diskproof
