// Logarithm and exponential from the four basic operations alone, which IEEE 754 rounds alike on every system: with the
// same seed, skewed access draws the same blocks whatever the compiler and its library. The project is compiled without
// contraction (no fused multiply-add). Accurate to about 1e-15, which is far more than a choice of blocks needs.
#pragma once

#include <bit>
#include <cstdint>

namespace diskproof {

inline constexpr double kLn2 = 0.6931471805599453;

// Natural logarithm of a normal positive number: ln(2^e m) with m near 1, ln m = 2 atanh((m - 1) / (m + 1)).
constexpr double portable_log(double x) noexcept {
  constexpr double kSqrt2 = 1.4142135623730951;
  constexpr std::uint64_t kMantissa = (std::uint64_t{1} << 52) - 1;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  auto exponent = static_cast<std::int64_t>(bits >> 52) - 1023;
  auto m = std::bit_cast<double>((bits & kMantissa) | (std::uint64_t{1023} << 52));  // [1, 2)
  if (m > kSqrt2) {
    m *= 0.5;
    ++exponent;
  }
  const double t = (m - 1) / (m + 1);
  const double square = t * t;
  double sum = 0;
  for (int k = 23; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
  return 2 * t * sum + static_cast<double>(exponent) * kLn2;
}

// e^x for |x| up to 700: 2^n e^r with |r| <= ln 2 / 2, e^r by its series.
constexpr double portable_exp(double x) noexcept {
  const double turns = x / kLn2;
  const auto n = static_cast<std::int64_t>(turns < 0 ? turns - 0.5 : turns + 0.5);
  const double r = x - static_cast<double>(n) * kLn2;
  double sum = 1;
  for (int k = 16; k >= 1; --k) sum = 1 + r * sum / k;
  return sum * std::bit_cast<double>(static_cast<std::uint64_t>(n + 1023) << 52);
}

// base^power for base > 0.
constexpr double portable_pow(double base, double power) noexcept { return portable_exp(power * portable_log(base)); }

}  // namespace diskproof
