// The CPU's time stamp counter, where the architecture has one that user code may read.
#pragma once

#include <cstdint>

#if defined(__x86_64__) || defined(_M_X64)
#if defined(_MSC_VER)
#include <intrin.h>
#else
#include <x86intrin.h>
#endif

namespace diskproof {
inline constexpr bool kHasCycleCounter = true;
inline std::uint64_t read_cycles() noexcept { return __rdtsc(); }
}  // namespace diskproof

#else

namespace diskproof {
inline constexpr bool kHasCycleCounter = false;
inline std::uint64_t read_cycles() noexcept { return 0; }
}  // namespace diskproof

#endif
