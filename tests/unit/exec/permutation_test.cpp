// The random numbers and the order of random access: reference values, bijectivity, no pattern.
#include "exec/permutation.hpp"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <unordered_set>
#include <vector>

#include "exec/random.hpp"

using diskproof::Permutation;
using diskproof::Random;
using diskproof::splitmix64;

namespace {

std::vector<std::uint64_t> order(std::uint64_t n, std::uint64_t key) {
  const Permutation permutation(n, key);
  std::vector<std::uint64_t> values(n);
  for (std::uint64_t i = 0; i < n; ++i) values[i] = permutation(i);
  return values;
}

// Pearson's correlation of pairs (x[i], y[i]).
double correlation(const std::vector<double>& x, const std::vector<double>& y) {
  double mean_x = 0, mean_y = 0;
  for (const double value : x) mean_x += value / static_cast<double>(x.size());
  for (const double value : y) mean_y += value / static_cast<double>(y.size());
  double both = 0, squares_x = 0, squares_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    both += (x[i] - mean_x) * (y[i] - mean_y);
    squares_x += (x[i] - mean_x) * (x[i] - mean_x);
    squares_y += (y[i] - mean_y) * (y[i] - mean_y);
  }
  return both / std::sqrt(squares_x * squares_y);
}

}  // namespace

TEST_CASE("random: splitmix64 gives its published values") {
  std::uint64_t state = 1234567;
  for (const std::uint64_t expected : {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                       4593380528125082431u, 16408922859458223821u}) {
    CHECK(splitmix64(state) == expected);
  }
}

TEST_CASE("random: xoshiro256++ seeded by splitmix64 gives reference values") {
  struct Row {
    std::uint64_t seed;
    std::uint64_t values[4];
  };
  const Row rows[] = {
      {0, {5987356902031041503u, 7051070477665621255u, 6633766593972829180u, 211316841551650330u}},
      {1, {14971601782005023387u, 13781649495232077965u, 1847458086238483744u, 13765271635752736470u}},
      {1234567, {437095814655224680u, 8127161015984454572u, 18128670339019551454u, 254746599813523466u}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.seed);
    Random random(row.seed);
    for (const std::uint64_t expected : row.values) CHECK(random.next() == expected);
  }
}

TEST_CASE("permutation: every value exactly once") {
  for (const std::uint64_t n : {1u, 2u, 3u, 4u, 5u, 7u, 64u, 65u, 1000u, 4095u, 4096u, 4097u, 65537u, 100003u}) {
    for (const std::uint64_t key : {0u, 1u, 77u}) {
      CAPTURE(n);
      CAPTURE(key);
      std::vector<std::uint64_t> values = order(n, key);
      std::sort(values.begin(), values.end());
      bool complete = true;
      for (std::uint64_t i = 0; i < n; ++i) complete = complete && values[i] == i;
      CHECK(complete);
    }
  }
}

TEST_CASE("permutation: large domains stay in range and distinct") {
  for (const std::uint64_t n : {(std::uint64_t{1} << 40) + 1, std::uint64_t{1} << 40, (std::uint64_t{1} << 41) - 7,
                                (std::uint64_t{1} << 63) + 5, ~std::uint64_t{0}}) {
    CAPTURE(n);
    const Permutation permutation(n, 99);
    constexpr std::uint64_t kSamples = 20000;
    std::unordered_set<std::uint64_t> seen;
    bool in_range = true;
    const auto visit = [&](std::uint64_t index) {
      const std::uint64_t value = permutation(index);
      in_range = in_range && value < n;
      seen.insert(value);
    };
    for (std::uint64_t i = 0; i < kSamples; ++i) {
      visit(i);                      // neighbours
      visit(n - 1 - i);              // the far end
      visit((i + 1) * (n / 30000));  // spread out
    }
    CHECK(in_range);
    CHECK(seen.size() == 3 * kSamples);
  }
}

TEST_CASE("permutation: keys give different orders") {
  const std::vector<std::uint64_t> first = order(4096, 1);
  for (const std::uint64_t key : {0u, 2u, 3u, 1u << 20}) {
    CAPTURE(key);
    const std::vector<std::uint64_t> other = order(4096, key);
    int same = 0;
    for (std::size_t i = 0; i < first.size(); ++i) same += first[i] == other[i] ? 1 : 0;
    CHECK(same < 20);  // 1 expected of two random orders
  }
  Permutation rekeyed(4096, 1);
  rekeyed.rekey(2);
  CHECK(rekeyed(17) == order(4096, 2)[17]);
}

TEST_CASE("permutation: the order looks random") {
  for (const std::uint64_t n : {1000u, 4096u, 65537u, 1u << 18}) {
    for (const std::uint64_t key : {1u, 2u, 3u, 4u, 5u}) {
      CAPTURE(n);
      CAPTURE(key);
      const std::vector<std::uint64_t> values = order(n, key);
      std::vector<double> place(n), value(n);
      for (std::size_t i = 0; i < n; ++i) {
        place[i] = static_cast<double>(i);
        value[i] = static_cast<double>(values[i]);
      }
      const double bound = 6 / std::sqrt(static_cast<double>(n));  // six standard deviations of chance
      CHECK(std::abs(correlation(place, value)) < bound);
      for (const std::size_t lag : {1u, 2u, 3u, 4u, 8u, 16u}) {
        CAPTURE(lag);
        CHECK(std::abs(correlation({value.begin(), value.end() - static_cast<std::ptrdiff_t>(lag)},
                                   {value.begin() + static_cast<std::ptrdiff_t>(lag), value.end()})) < bound);
      }
      std::uint64_t ascents = 0, neighbours = 0;
      for (std::size_t i = 1; i < n; ++i) {
        ascents += values[i] > values[i - 1] ? 1 : 0;
        neighbours += values[i] == values[i - 1] + 1 || values[i] + 1 == values[i - 1] ? 1 : 0;
      }
      CHECK(std::abs(static_cast<double>(ascents) / static_cast<double>(n - 1) - 0.5) < bound);
      CHECK(neighbours < 20);  // 2 expected: a disk that reads ahead gains nothing
    }
  }
}

// Strides that repeat would let a disk learn the order.
TEST_CASE("permutation: steps between neighbours do not repeat") {
  constexpr std::uint64_t kBlocks = 65536;
  for (const std::uint64_t key : {1u, 2u, 3u}) {
    CAPTURE(key);
    const std::vector<std::uint64_t> values = order(kBlocks, key);
    std::vector<int> steps(kBlocks);
    for (std::size_t i = 1; i < kBlocks; ++i) ++steps[(values[i] - values[i - 1]) % kBlocks];
    CHECK(*std::max_element(steps.begin(), steps.end()) < 64);  // about 8 expected by chance
  }
}
