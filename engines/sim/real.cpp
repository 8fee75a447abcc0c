// ln by the series of atanh after taking the exponent off; exp by Taylor's after taking the powers of two off.
#include "real.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace sim {
namespace {

constexpr double kLn2High = 0x1.62e42feep-1;  // few enough bits that k * kLn2High is exact
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
constexpr double kLn2 = 0x1.62e42fefa39efp-1;
constexpr std::uint64_t kFraction = (std::uint64_t{1} << 52) - 1;
constexpr std::uint64_t kBias = 1023;

}  // namespace

double natural_log(double x) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  auto exponent = static_cast<double>(bits >> 52) - static_cast<double>(kBias);
  auto mantissa = std::bit_cast<double>((bits & kFraction) | kBias << 52);  // [1, 2)
  if (mantissa > 1.4142135623730951) {
    mantissa = mantissa * 0.5;
    exponent = exponent + 1;
  }
  const double f = (mantissa - 1) / (mantissa + 1);  // ln m = 2 atanh f, |f| < 0.172
  const double square = f * f;
  double sum = 0;
  for (int n = 25; n >= 3; n -= 2) sum = (sum + 1.0 / n) * square;
  return exponent * kLn2High + (2 * (f + f * sum) + exponent * kLn2Low);
}

double exponential(double x) noexcept {
  x = std::clamp(x, -700.0, 700.0);
  const auto power = static_cast<std::int64_t>(x / kLn2 + (x < 0 ? -0.5 : 0.5));
  const auto k = static_cast<double>(power);
  const double rest = (x - k * kLn2High) - k * kLn2Low;  // |rest| < 0.35
  double sum = 1;
  for (int n = 15; n >= 1; --n) sum = 1 + sum * rest / n;
  return sum * std::bit_cast<double>(static_cast<std::uint64_t>(power + static_cast<std::int64_t>(kBias)) << 52);
}

}  // namespace sim
