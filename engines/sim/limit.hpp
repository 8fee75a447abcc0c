// A limit on operations or bytes per second, with credits where it has them, in integers: without any drift.
#pragma once

#include <cstdint>

#include "script.hpp"

namespace sim {

// Where a row of starts stands.
struct Pace {
  std::uint64_t next = 0;       // ticks: when all that was admitted is paid for
  std::uint64_t remainder = 0;  // of a tick, in 1/rate
};

// What a limit remembers. Zeroed memory is one that has never been used.
struct LimitMemory {
  LimitSpec spec;  // that it belongs to
  Pace burst, steady;
};

// Token bucket. Without credits starts are spaced by the rate and idle time is not saved up; with them they are spaced
// by the burst rate, and by the rate once all credits are spent. Credits come back at the rate, up to their number.
class Limit {
 public:
  Limit(const LimitSpec& spec, std::uint64_t ticks_per_second) noexcept;

  // Before the first use, with nobody else using the memory: fills it with `percent` of the credits at `now` unless it
  // is this limit's from before, and forgets starts that were promised and not taken.
  void begin(LimitMemory& memory, std::uint64_t now, std::uint64_t percent) const noexcept;
  // The earliest start at or after `at` for an operation that costs `units`.
  std::uint64_t start(LimitMemory& memory, std::uint64_t at, std::uint64_t units) const noexcept {
    return spec_.rate == 0 ? at : limited_start(memory, at, units);
  }

 private:
  std::uint64_t limited_start(LimitMemory& memory, std::uint64_t at, std::uint64_t units) const noexcept;
  // `rate` units per second, but the first `ahead` ticks' worth at once.
  std::uint64_t paced(Pace& pace, std::uint64_t rate, std::uint64_t ahead, std::uint64_t at,
                      std::uint64_t units) const noexcept;

  LimitSpec spec_;
  std::uint64_t ticks_per_second_;
  std::uint64_t saved_;  // ticks in which the rate brings all credits
};

}  // namespace sim
