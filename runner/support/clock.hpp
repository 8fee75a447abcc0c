// The clock of every latency: 64-bit ticks that never go back, and the scale that turns them into nanoseconds.
//
// The worker is a template over a clock type with `Ticks now()` and `void wait_until(Ticks)`, so that a manual clock
// runs windows and stalls exactly and in no wall time. Times that two processes share (the go of a phase) are
// nanoseconds of the system's monotonic clock.
#pragma once

#include <cstdint>
#include <optional>

#include "support/compiler.hpp"
#include "support/cycle_counter.hpp"

namespace diskproof {

using Ticks = std::uint64_t;

// ns = ticks * multiplier / 2^32, rounded down. Exact for 1 GHz ticks; else off by less than 1 ns per 4 s.
struct TickScale {
  std::uint64_t ticks_per_second = 1'000'000'000;
  std::uint64_t multiplier = std::uint64_t{1} << 32;

  static TickScale of(std::uint64_t ticks_per_second) noexcept;

  [[nodiscard]] std::uint64_t to_ns(Ticks ticks) const noexcept {
    return static_cast<std::uint64_t>((Wide{ticks} * multiplier) >> 32);
  }
  // The same for a span below 2^56 ticks, without a shift across two registers: for the measured loop.
  [[nodiscard]] std::uint64_t span_ns(Ticks ticks) const noexcept {
    return static_cast<std::uint64_t>((Wide{ticks << 8} * (multiplier << 24)) >> 64);
  }
  // Rounded up.
  [[nodiscard]] Ticks from_ns(std::uint64_t ns) const noexcept;
};

// Nanoseconds of the monotonic clock, the same in every process of this machine.
std::uint64_t monotonic_ns() noexcept;

// CPU time of the calling thread in nanoseconds; the split into user and system is sampled by the kernel's tick.
struct ThreadCpu {
  std::uint64_t user = 0;
  std::uint64_t system = 0;
};
ThreadCpu thread_cpu() noexcept;

// Cycle counter and system clock, read at the same moment (to within some ten nanoseconds).
struct ClockSample {
  std::uint64_t cycles = 0;
  std::uint64_t raw_ns = 0;  // a clock that is not slewed, where the system has one
};
ClockSample sample_clocks() noexcept;

// Whether the cycle counter runs at one rate on every CPU, whatever their frequency and sleep states, and the system
// itself trusts it.
bool cycle_counter_is_steady();

// How far ticks of that scale go from the system's clock between two samples, in parts per million of the time between;
// nothing when less than 10 ms lie between them, in which an error of reading would look like drift.
std::optional<double> drift_ppm(const TickScale& scale, const ClockSample& from, const ClockSample& to) noexcept;

// The real clock: the cycle counter where it is steady, else the monotonic clock in nanoseconds. Immutable, any thread.
class TickClock {
 public:
  // Monotonic nanoseconds.
  TickClock() noexcept;
  // Cycles, measured against the system's clock since `earlier`, which another process of this machine may have taken;
  // waits until the two are far enough apart (10 ms) for an error of a few parts per million.
  static TickClock calibrated(const ClockSample& earlier);

  [[nodiscard]] Ticks now() const noexcept { return cycles_ ? read_cycles() : monotonic_ns(); }
  // Sleeps until shortly before and polls the rest.
  void wait_until(Ticks ticks) const noexcept;
  [[nodiscard]] const TickScale& scale() const noexcept { return scale_; }
  // The tick at a time of the monotonic clock.
  [[nodiscard]] Ticks at(std::uint64_t monotonic) const noexcept;
  [[nodiscard]] bool counts_cycles() const noexcept { return cycles_; }
  // The end of its calibration; only where it counts cycles.
  [[nodiscard]] const ClockSample& calibration() const noexcept { return calibration_; }

 private:
  bool cycles_ = false;
  TickScale scale_;
  ClockSample calibration_;
  std::uint64_t anchor_monotonic_ = 0;  // anchor_cycles_ is the counter at this time of the monotonic clock
  std::uint64_t anchor_cycles_ = 0;
};

}  // namespace diskproof
