// Tick arithmetic and calibration: the same on every system.
#include "support/clock.hpp"

#include <cmath>

namespace diskproof {

namespace {

constexpr std::uint64_t kBaseline = 10'000'000;  // ns between the two samples of a calibration, at least
constexpr std::uint64_t kPollAhead = 100'000;    // ns: timers are late by up to this; the last stretch is polled

}  // namespace

// Defined by the platform file: sleeps until a time of the monotonic clock, possibly waking late.
void sleep_until_monotonic(std::uint64_t ns) noexcept;

TickScale TickScale::of(std::uint64_t ticks_per_second) noexcept {
  const Wide multiplier = ((Wide{1'000'000'000} << 32) + ticks_per_second / 2) / ticks_per_second;
  return {ticks_per_second, static_cast<std::uint64_t>(multiplier)};
}

Ticks TickScale::from_ns(std::uint64_t ns) const noexcept {
  return static_cast<Ticks>((Wide{ns} * ticks_per_second + 999'999'999) / 1'000'000'000);
}

TickClock::TickClock() noexcept = default;

TickClock TickClock::calibrated(const ClockSample& earlier) {
  TickClock clock;
  if (!kHasCycleCounter || !cycle_counter_is_steady()) return clock;
  ClockSample later = sample_clocks();
  if (earlier.raw_ns == 0 || earlier.raw_ns > later.raw_ns || earlier.cycles >= later.cycles) return clock;
  if (later.raw_ns - earlier.raw_ns < kBaseline) {
    sleep_until_monotonic(monotonic_ns() + kBaseline - (later.raw_ns - earlier.raw_ns));
    later = sample_clocks();
  }
  const std::uint64_t elapsed = later.raw_ns - earlier.raw_ns;
  const Wide cycles = Wide{later.cycles - earlier.cycles} * 1'000'000'000;
  clock.cycles_ = true;
  clock.scale_ = TickScale::of(static_cast<std::uint64_t>((cycles + elapsed / 2) / elapsed));
  clock.calibration_ = later;
  clock.anchor_monotonic_ = monotonic_ns();
  clock.anchor_cycles_ = read_cycles();
  return clock;
}

void TickClock::wait_until(Ticks ticks) const noexcept {
  const Ticks current = now();
  if (ticks <= current) return;
  const std::uint64_t left = scale_.to_ns(ticks - current);
  if (left > kPollAhead) sleep_until_monotonic(monotonic_ns() + left - kPollAhead);
  while (now() < ticks) {
  }
}

Ticks TickClock::at(std::uint64_t monotonic) const noexcept {
  if (!cycles_) return monotonic;
  if (monotonic >= anchor_monotonic_) return anchor_cycles_ + scale_.from_ns(monotonic - anchor_monotonic_);
  return anchor_cycles_ - scale_.from_ns(anchor_monotonic_ - monotonic);
}

std::optional<double> drift_ppm(const TickScale& scale, const ClockSample& from, const ClockSample& to) noexcept {
  if (to.raw_ns < from.raw_ns + kBaseline) return std::nullopt;
  const auto elapsed = static_cast<double>(to.raw_ns - from.raw_ns);
  const bool backwards = to.cycles < from.cycles;
  const auto by_ticks = static_cast<double>(scale.to_ns(backwards ? from.cycles - to.cycles : to.cycles - from.cycles));
  return ((backwards ? -by_ticks : by_ticks) - elapsed) / elapsed * 1e6;
}

}  // namespace diskproof
