// Everything of the histogram that is not hot. All walks cover only the slots between those of min and max, which is
// the touched range: clearing or merging one interval costs a few microseconds, not the whole 59 KB.
#include "metrics/histogram.hpp"

#include <algorithm>
#include <cmath>

namespace diskproof {
namespace {

constexpr std::uint64_t kWhole = 100'000'000;  // 100 % in millionths of a percent

std::uint64_t lower_edge(std::size_t slot) { return slot == 0 ? 0 : histogram_upper_edge(slot - 1) + 1; }

}  // namespace

std::uint64_t percentile_rank(std::uint64_t count, std::uint64_t percent_millionths) noexcept {
  if (percent_millionths >= kWhole) return count;
  // ceil(count * percent / kWhole) without leaving 64 bits: the quotient's part is exact, the rest below 1e16.
  const std::uint64_t rest = (count % kWhole) * percent_millionths;
  const std::uint64_t rank = (count / kWhole) * percent_millionths + (rest + kWhole - 1) / kWhole;
  return std::max<std::uint64_t>(rank, 1);
}

void Histogram::merge(const Histogram& other) noexcept {
  if (other.count_ == 0) return;
  const std::size_t last = histogram_slot(other.max_);
  for (std::size_t slot = histogram_slot(other.min_); slot <= last; ++slot) slots_[slot] += other.slots_[slot];
  count_ += other.count_;
  sum_ += other.sum_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

void Histogram::clear() noexcept {
  if (count_ != 0) {
    const auto first = slots_.begin() + static_cast<std::ptrdiff_t>(histogram_slot(min_));
    const auto end = slots_.begin() + static_cast<std::ptrdiff_t>(histogram_slot(max_)) + 1;
    std::fill(first, end, 0);
  }
  count_ = 0;
  sum_ = 0;
  min_ = ~std::uint64_t{0};
  max_ = 0;
}

void Histogram::add_to_slot(std::size_t slot, std::uint64_t count) noexcept {
  if (count == 0 || slot >= kHistogramSlots) return;
  slots_[slot] += count;
  count_ += count;
  min_ = std::min(min_, lower_edge(slot));
  max_ = std::max(max_, histogram_upper_edge(slot));
}

void Histogram::set_exact(std::uint64_t sum, std::uint64_t min, std::uint64_t max) noexcept {
  sum_ = sum;
  min_ = min;
  max_ = max;
}

std::uint64_t Histogram::percentile(std::uint64_t percent_millionths) const noexcept {
  if (percent_millionths >= kWhole) return max_;
  const std::uint64_t rank = percentile_rank(count_, percent_millionths);
  const std::size_t last = histogram_slot(max_);
  std::uint64_t seen = 0;
  for (std::size_t slot = histogram_slot(min_); slot <= last; ++slot) {
    seen += slots_[slot];
    if (seen >= rank) return std::clamp(histogram_upper_edge(slot), min_, max_);
  }
  return max_;
}

std::uint64_t Histogram::count_above(std::uint64_t ns) const noexcept {
  if (count_ == 0 || ns >= max_) return 0;
  if (ns < min_) return count_;
  const std::size_t edge = histogram_slot(ns);
  const std::size_t first = histogram_upper_edge(edge) > ns ? edge : edge + 1;
  const std::size_t last = histogram_slot(max_);
  std::uint64_t above = 0;
  for (std::size_t slot = first; slot <= last; ++slot) above += slots_[slot];
  return above;
}

double Histogram::standard_deviation() const noexcept {
  if (count_ == 0) return 0;
  const double count = static_cast<double>(count_);
  const std::size_t first = histogram_slot(min_);
  const std::size_t last = histogram_slot(max_);
  // Midpoints around their own mean, so that a shift of all values by half a slot does not count as spread.
  const auto middle = [this](std::size_t slot) {
    const double low = static_cast<double>(std::max(lower_edge(slot), min_));
    return low + (static_cast<double>(std::min(histogram_upper_edge(slot), max_)) - low) / 2;
  };
  double mean = 0;
  for (std::size_t slot = first; slot <= last; ++slot) {
    if (slots_[slot] != 0) mean += middle(slot) * (static_cast<double>(slots_[slot]) / count);
  }
  double variance = 0;
  for (std::size_t slot = first; slot <= last; ++slot) {
    if (slots_[slot] == 0) continue;
    const double distance = middle(slot) - mean;
    variance += distance * distance * (static_cast<double>(slots_[slot]) / count);
  }
  return std::sqrt(variance);
}

}  // namespace diskproof
