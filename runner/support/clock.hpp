// The clock of every latency: 64-bit ticks that never go back, and the exact scale that turns them into nanoseconds.
//
// The worker is a template over a clock type with `Ticks now()` and `void wait_until(Ticks)`, so that a manual clock
// runs windows and stalls exactly and in no wall time. Times that two processes share (the go of a phase) are
// nanoseconds of the system's monotonic clock.
#pragma once

#include <cstdint>

namespace diskproof {

using Ticks = std::uint64_t;

// ns = ticks * multiplier / 2^32, rounded down. Exact for 1 GHz ticks; else off by less than 1 ns per 4 s.
struct TickScale {
  std::uint64_t ticks_per_second = 1'000'000'000;
  std::uint64_t multiplier = std::uint64_t{1} << 32;

  static TickScale of(std::uint64_t ticks_per_second) noexcept;

  [[nodiscard]] std::uint64_t to_ns(Ticks ticks) const noexcept {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(ticks) * multiplier) >> 32);
  }
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

// The real clock. wait_until sleeps until shortly before and polls the rest.
class SystemClock {
 public:
  static Ticks now() noexcept { return monotonic_ns(); }
  static void wait_until(Ticks ticks) noexcept;
  static TickScale scale() noexcept { return TickScale{}; }
  // The tick at a time of the monotonic clock.
  static Ticks at(std::uint64_t monotonic) noexcept { return monotonic; }
};

}  // namespace diskproof
