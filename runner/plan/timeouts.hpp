// How long a phase may take before it is given up, where the job does not say.
#pragma once

#include <cstdint>

#include "job/job.hpp"

namespace diskproof {

// Nanoseconds. 2 x (warm-up + duration) + 60 s; for phases that count bytes or operations 60 s + 2 x warm-up + the time
// that a very slow disk (1 MB/s, 20 operations/s) needs, at least 2 x the time that the rate takes, where there is one.
std::uint64_t default_timeout(const StopRule& stop, std::uint64_t warmup, std::uint64_t block_size, double rate = 0);

// Nanoseconds of the interval grid: 1 s, 100 ms for phases up to 10 s.
std::uint64_t default_grid(const StopRule& stop);

}  // namespace diskproof
