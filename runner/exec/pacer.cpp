// Arithmetic of intended times.
#include "exec/pacer.hpp"

#include <algorithm>

#include "exec/portable_math.hpp"
#include "exec/skewed_access.hpp"
#include "support/compiler.hpp"

namespace diskproof {

namespace {

constexpr double kFraction = 4294967296.0;         // of a tick
constexpr std::uint64_t kLongestWalk = 1'000'000;  // of random gaps one by one; beyond it their mean tells enough

// In 1/2^32 ticks, rounded down.
Wide fractions_of(double ticks) noexcept {
  const auto whole = static_cast<std::uint64_t>(ticks);
  return (Wide{whole} << 32) + static_cast<std::uint64_t>((ticks - static_cast<double>(whole)) * kFraction);
}

}  // namespace

Pacer::Pacer(const PaceSetup& setup, Ticks go, const TickScale& scale) noexcept : next_(go) {
  const double apart = static_cast<double>(scale.ticks_per_second) / setup.rate;
  if (setup.random_gaps) {
    gaps_ = RandomGaps{Random(*setup.random_gaps), apart * setup.workers};
    advance();
    return;
  }
  // One step of the phase, in 1/2^32 ticks. Plans have no rate below 1/1000 s, so that 64 bits hold a worker's step.
  const Wide phase_step = fractions_of(apart);
  const Wide step = phase_step * setup.workers;
  const Wide first = phase_step * setup.worker;
  next_ += static_cast<Ticks>(first >> 32);
  fraction_ = static_cast<std::uint32_t>(first);
  step_ = static_cast<Ticks>(step >> 32);
  step_fraction_ = static_cast<std::uint32_t>(step);
}

void Pacer::draw_step() noexcept {
  const double gap = gaps_->mean * -portable_log(1 - unit(gaps_->random));
  step_ = static_cast<Ticks>(gap);
  step_fraction_ = static_cast<std::uint32_t>((gap - static_cast<double>(step_)) * kFraction);
}

std::uint64_t Pacer::count_before(Ticks end, std::uint64_t most) const noexcept {
  if (next_ >= end) return 0;
  if (gaps_) return walk_before(end, most);
  const Wide left = (Wide{end - next_} << 32) - fraction_;
  const Wide step = (Wide{step_} << 32) + step_fraction_;
  return std::min(most, static_cast<std::uint64_t>((left + step - 1) / step));
}

std::uint64_t Pacer::walk_before(Ticks end, std::uint64_t most) const noexcept {
  Pacer ahead = *this;
  std::uint64_t count = 0;
  for (; count < most && ahead.next_ < end; ++count) {
    if (count == kLongestWalk)
      return count + static_cast<std::uint64_t>(static_cast<double>(end - ahead.next_) / gaps_->mean);
    ahead.advance();
  }
  return count;
}

}  // namespace diskproof
