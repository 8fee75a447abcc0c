// Set-up and draws of the skewed distributions.
#include "exec/skewed_access.hpp"

#include <algorithm>

#include "exec/portable_math.hpp"

namespace diskproof {

namespace {

constexpr double kSmall = 1e-5;  // below it a few terms of a series are exact to 1e-16

// (e^x - 1) / x, which is 1 at 0.
double exp_minus_1_over(double x) {
  if (x > -kSmall && x < kSmall) return 1 + x / 2 * (1 + x / 3 * (1 + x / 4));
  return (portable_exp(x) - 1) / x;
}

// ln(1 + x) / x, which is 1 at 0.
double log_1_plus_over(double x) {
  if (x > -kSmall && x < kSmall) return 1 - x * (0.5 - x * (1.0 / 3 - x / 4));
  return portable_log(1 + x) / x;
}

std::uint64_t share_of_blocks(std::uint64_t n, double percent) {
  return static_cast<std::uint64_t>(static_cast<double>(n) * percent / 100 + 0.5);
}

}  // namespace

ZipfRanks::ZipfRanks(std::uint64_t n, double exponent) noexcept
    : n_(n), exponent_(exponent), first_(0), last_(0), shortcut_(0) {
  first_ = integral(1.5) - 1;
  last_ = integral(static_cast<double>(n) + 0.5);
  shortcut_ = 2 - inverse_integral(integral(2.5) - density(2));
}

double ZipfRanks::integral(double x) const noexcept {
  const double log = portable_log(x);
  return exp_minus_1_over((1 - exponent_) * log) * log;
}

double ZipfRanks::inverse_integral(double area) const noexcept {
  const double t = std::max(area * (1 - exponent_), -1 + 0x1.0p-53);
  return portable_exp(log_1_plus_over(t) * area);
}

double ZipfRanks::density(double x) const noexcept { return portable_exp(-exponent_ * portable_log(x)); }

std::uint64_t ZipfRanks::operator()(Random& random) const noexcept {
  while (true) {
    const double area = last_ + unit(random) * (first_ - last_);
    const double x = inverse_integral(area);
    const double most = static_cast<double>(n_);
    const double rank = static_cast<double>(static_cast<std::uint64_t>(std::clamp(x + 0.5, 1.0, most)));
    if (rank - x <= shortcut_ || area >= integral(rank + 0.5) - density(rank)) {
      return std::min(static_cast<std::uint64_t>(rank), n_) - 1;
    }
  }
}

ParetoRanks::ParetoRanks(std::uint64_t n, double h) noexcept : n_(n), power_(portable_log(h) / portable_log(1 - h)) {}

std::uint64_t ParetoRanks::operator()(Random& random) const noexcept {
  const double u = unit(random);
  if (u <= 0) return 0;
  return std::min(static_cast<std::uint64_t>(static_cast<double>(n_) * portable_pow(u, power_)), n_ - 1);
}

HotspotBlocks::HotspotBlocks(std::uint64_t n, const std::vector<HotZone>& zones) {
  double blocks = 0, draws = 0;
  std::uint64_t begin = 0;
  const auto add = [&](double share, double part) {
    blocks += share;
    draws += part;
    const std::uint64_t end = std::clamp(share_of_blocks(n, blocks), begin, n);
    const std::uint64_t first = std::min(begin, n - 1);  // a zone without a block of its own shares the nearest
    zones_.push_back({draws / 100, first, std::max<std::uint64_t>(end - first, 1)});
    begin = end;
  };
  for (const HotZone& zone : zones) add(zone.blocks, zone.draws);
  if (draws < 100) add(100 - blocks, 100 - draws);
  zones_.back().until = 1;
}

std::uint64_t HotspotBlocks::operator()(Random& random) const noexcept {
  const double u = unit(random);
  const auto zone = std::ranges::find_if(zones_, [u](const Zone& candidate) { return u < candidate.until; });
  const Zone& drawn = zone == zones_.end() ? zones_.back() : *zone;
  return drawn.begin + below(random, drawn.blocks);
}

}  // namespace diskproof
