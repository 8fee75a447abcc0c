// Draws of block numbers 0 … n-1 that are not uniform: each draw independent of those before it, the same sequence for
// a seed on every system (portable_math).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "exec/random.hpp"
#include "job/job.hpp"
#include "support/compiler.hpp"

namespace diskproof {

// A number in [0, 1) with 53 random bits.
inline double unit(Random& random) noexcept { return static_cast<double>(random.next() >> 11) * 0x1.0p-53; }

// Any number below `n` with the same probability, to within n / 2^64. n >= 1
inline std::uint64_t below(Random& random, std::uint64_t n) noexcept {
  return static_cast<std::uint64_t>((Wide{random.next()} * n) >> 64);
}

// Rank k (from 0) with a probability proportional to 1 / (k + 1)^exponent, by rejection-inversion: W. Hörmann and
// G. Derflinger, "Rejection-inversion to generate variates from monotone discrete distributions", ACM TOMACS 6 (1996).
// No table, at most about 1.4 tries per draw.
class ZipfRanks {
 public:
  // n >= 1, exponent > 0
  ZipfRanks(std::uint64_t n, double exponent) noexcept;
  std::uint64_t operator()(Random& random) const noexcept;

 private:
  [[nodiscard]] double integral(double x) const noexcept;  // of 1 / t^exponent from 1 to x
  [[nodiscard]] double inverse_integral(double area) const noexcept;
  [[nodiscard]] double density(double x) const noexcept;

  std::uint64_t n_;
  double exponent_;
  double first_, last_;  // the integral's ends: of the first rank and behind the last
  double shortcut_;      // ranks so close to their draw need no test
};

// Ranks of a self-similar distribution: the share h of the blocks gets the share 1 - h of the draws, and so again
// inside it. J. Gray et al., "Quickly generating billion-record synthetic databases", SIGMOD 1994: rank = n u^(ln h /
// ln (1-h)).
class ParetoRanks {
 public:
  // n >= 1, 0 < h < 0.5
  ParetoRanks(std::uint64_t n, double h) noexcept;
  std::uint64_t operator()(Random& random) const noexcept;

 private:
  std::uint64_t n_;
  double power_;
};

// Zones from the first block on, each a share of the blocks that gets a share of the draws; what is left of both goes
// together.
class HotspotBlocks {
 public:
  // Shares of each kind sum to at most 100; a zone holds at least one block. n >= 1
  HotspotBlocks(std::uint64_t n, const std::vector<HotZone>& zones);
  std::uint64_t operator()(Random& random) const noexcept;

 private:
  struct Zone {
    double until;  // share of the draws at its end, cumulative
    std::uint64_t begin, blocks;
  };
  std::vector<Zone> zones_;
};

}  // namespace diskproof
