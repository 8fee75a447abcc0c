// `--smoke`: the same phases on little data for a moment, to see that everything works. Nothing is proven by it.
#pragma once

#include "job/job.hpp"

namespace diskproof {

inline constexpr std::uint64_t kSmokeTime = 1'000'000'000;             // ns of a phase, at most
inline constexpr std::uint64_t kSmokeBytes = std::uint64_t{64} << 20;  // of a file, and of a phase that counts

// Every phase at most 1 s, on at most 64 MiB of its file or a block per thread; thresholds only warn.
void make_small(Job& job);

}  // namespace diskproof
