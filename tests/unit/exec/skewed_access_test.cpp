// Skewed draws against their theory: chi-square with a fixed seed, so that the outcome is the same everywhere.
#include "exec/skewed_access.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <functional>
#include <string>
#include <vector>

#include "exec/portable_math.hpp"

using namespace diskproof;

namespace {

constexpr int kDraws = 400'000;

// Chi-square of `draw` against the probability of each block, divided by its degrees of freedom: about 1 when they
// agree, with a standard deviation of sqrt(2 / degrees).
template <class Draw>
double chi_square(std::uint64_t n, const Draw& draw, const std::function<double(std::uint64_t)>& probability) {
  std::vector<int> seen(n, 0);
  Random random(7);
  for (int i = 0; i < kDraws; ++i) {
    const std::uint64_t block = draw(random);
    REQUIRE(block < n);
    ++seen[block];
  }
  double sum = 0, expected = 0, observed = 0;
  int cells = 0;
  for (std::uint64_t block = 0; block < n; ++block) {  // cells of at least 20 draws
    expected += probability(block) * kDraws;
    observed += seen[block];
    if (expected < 20 && block + 1 < n) continue;
    sum += (observed - expected) * (observed - expected) / expected;
    ++cells;
    expected = observed = 0;
  }
  return sum / (cells - 1);
}

}  // namespace

TEST_CASE("portable math: log, exp and pow agree with the library") {
  for (const double x : {1e-300, 0.001, 0.5, 0.7071, 0.99999, 1.0, 1.00001, 1.41421356, 1.5, 2.0, 10.0, 1e9, 1e300}) {
    CAPTURE(x);
    CHECK(portable_log(x) == doctest::Approx(std::log(x)).epsilon(1e-14));
  }
  for (const double x : {-700.0, -20.5, -1.0, -1e-9, 0.0, 1e-9, 0.3465, 1.0, 33.3, 700.0}) {
    CAPTURE(x);
    CHECK(portable_exp(x) == doctest::Approx(std::exp(x)).epsilon(1e-13));
  }
  CHECK(portable_pow(2, 10) == doctest::Approx(1024).epsilon(1e-13));
}

TEST_CASE("skewed access: zipf ranks follow their law") {
  struct Row {
    std::uint64_t n;
    double exponent;
  };
  for (const Row& row : {Row{1000, 1.2}, Row{1000, 1.0}, Row{1000, 0.5}, Row{1000, 0.99}, Row{37, 2.5}, Row{2, 1.2}}) {
    CAPTURE(row.n);
    CAPTURE(row.exponent);
    double whole = 0;
    for (std::uint64_t k = 0; k < row.n; ++k) whole += std::pow(static_cast<double>(k + 1), -row.exponent);
    const double ratio = chi_square(row.n, ZipfRanks(row.n, row.exponent), [&](std::uint64_t k) {
      return std::pow(static_cast<double>(k + 1), -row.exponent) / whole;
    });
    CHECK(ratio < 1.5 + 4 / std::sqrt(static_cast<double>(row.n)));
  }
}

TEST_CASE("skewed access: pareto ranks follow their law") {
  for (const double h : {0.2, 0.1, 0.4}) {
    CAPTURE(h);
    constexpr std::uint64_t kBlocks = 1000;
    const double power = std::log(1 - h) / std::log(h);  // of the cumulative distribution
    const double ratio = chi_square(kBlocks, ParetoRanks(kBlocks, h), [&](std::uint64_t k) {
      const double from = static_cast<double>(k) / kBlocks, to = static_cast<double>(k + 1) / kBlocks;
      return std::pow(to, power) - std::pow(from, power);
    });
    CHECK(ratio < 1.5);
    CHECK(std::pow(h, power) == doctest::Approx(1 - h));  // the share h gets 1 - h
  }
}

TEST_CASE("skewed access: hotspots get their shares") {
  struct Row {
    std::string name;
    std::vector<HotZone> zones;
    std::vector<double> per_tenth;  // percent of the draws
  };
  const Row rows[] = {
      {"one hot tenth",
       {{10, 90}},
       {90, 10 / 9., 10 / 9., 10 / 9., 10 / 9., 10 / 9., 10 / 9., 10 / 9., 10 / 9., 10 / 9.}},
      {"two zones", {{10, 50}, {20, 30}}, {50, 15, 15, 20 / 7., 20 / 7., 20 / 7., 20 / 7., 20 / 7., 20 / 7., 20 / 7.}},
      {"all of the draws", {{50, 100}}, {20, 20, 20, 20, 20, 0, 0, 0, 0, 0}},
      {"a cold start",
       {{10, 0}},
       {0, 100 / 9., 100 / 9., 100 / 9., 100 / 9., 100 / 9., 100 / 9., 100 / 9., 100 / 9., 100 / 9.}}};
  constexpr std::uint64_t kBlocks = 1000;
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const HotspotBlocks draw(kBlocks, row.zones);
    std::vector<double> seen(10, 0);
    Random random(3);
    for (int i = 0; i < kDraws; ++i) seen[draw(random) / (kBlocks / 10)] += 100.0 / kDraws;
    for (std::size_t tenth = 0; tenth < 10; ++tenth) {
      CAPTURE(tenth);
      CHECK(std::abs(seen[tenth] - row.per_tenth[tenth]) < 0.4);
    }
  }
}

TEST_CASE("skewed access: the smallest domains stay inside") {
  for (const std::uint64_t n : {1u, 2u, 3u}) {
    CAPTURE(n);
    Random random(1);
    const ZipfRanks zipf(n, 1.2);
    const ParetoRanks pareto(n, 0.2);
    const HotspotBlocks hotspot(n, {{10, 90}});
    for (int i = 0; i < 1000; ++i) {
      CHECK(zipf(random) < n);
      CHECK(pareto(random) < n);
      CHECK(hotspot(random) < n);
    }
  }
}

TEST_CASE("skewed access: a seed draws the same blocks on every system") {
  Random random(42);
  const ZipfRanks zipf(1'000'000'007, 1.2);
  const ParetoRanks pareto(1'000'000'007, 0.2);
  std::vector<std::uint64_t> drawn;
  for (int i = 0; i < 4; ++i) drawn.push_back(zipf(random));
  for (int i = 0; i < 4; ++i) drawn.push_back(pareto(random));
  CHECK(drawn == std::vector<std::uint64_t>{1, 146, 0, 2, 188578940, 21734162, 312, 26701142});
}
