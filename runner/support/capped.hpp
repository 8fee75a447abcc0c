// Sums and products of times and sizes that stop at the largest value there is, in place of beginning anew at zero.
#pragma once

#include <cstdint>

namespace diskproof {

inline constexpr std::uint64_t kMostCounted = INT64_MAX;  // so that it is a time in nanoseconds too

constexpr std::uint64_t capped_sum(std::uint64_t a, std::uint64_t b) noexcept {
  if (a >= kMostCounted || b >= kMostCounted - a) return kMostCounted;
  return a + b;
}

constexpr std::uint64_t capped_product(std::uint64_t a, std::uint64_t b) noexcept {
  if (a != 0 && b > kMostCounted / a) return kMostCounted;
  return a * b;
}

}  // namespace diskproof
