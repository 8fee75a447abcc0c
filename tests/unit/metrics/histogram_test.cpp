// The histogram against sorted arrays of the same values.
#include "metrics/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace diskproof {
namespace {

constexpr std::uint64_t kTop = ~std::uint64_t{0};
constexpr std::uint64_t kPercent = 1'000'000;

std::unique_ptr<Histogram> of(const std::vector<std::uint64_t>& values) {
  auto histogram = std::make_unique<Histogram>();
  for (const std::uint64_t value : values) histogram->record(value);
  return histogram;
}

bool same(const Histogram& a, const Histogram& b) {
  if (a.count() != b.count() || a.sum() != b.sum() || a.min() != b.min() || a.max() != b.max()) return false;
  for (std::size_t slot = 0; slot < kHistogramSlots; ++slot) {
    if (a.slot_count(slot) != b.slot_count(slot)) return false;
  }
  return true;
}

// Values of every magnitude, as likely small as huge.
std::vector<std::uint64_t> random_values(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> values(count);
  for (std::uint64_t& value : values) value = random() >> (random() % 64);
  return values;
}

TEST_CASE("histogram: every slot holds its own upper edge and the edge's successor falls into the next") {
  for (std::size_t slot = 0; slot < kHistogramSlots; ++slot) {
    const std::uint64_t edge = histogram_upper_edge(slot);
    REQUIRE(histogram_slot(edge) == slot);
    if (edge != kTop) REQUIRE(histogram_slot(edge + 1) == slot + 1);
  }
  CHECK(histogram_upper_edge(kHistogramSlots - 1) == kTop);
}

TEST_CASE("histogram: percentile ranks are exact integers") {
  struct Row {
    std::string name;
    std::uint64_t count, percent, rank;
  };
  for (const Row& row : {Row{"median of one", 1, 50 * kPercent, 1},
                         {"median of two is the first", 2, 50 * kPercent, 1},
                         {"median of three", 3, 50 * kPercent, 2},
                         {"p99 of 100", 100, 99 * kPercent, 99},
                         {"p99 of 101", 101, 99 * kPercent, 100},
                         {"p99.9 of 1000", 1000, 99'900'000, 999},
                         {"p99.99 of 100000 leaves ten", 100'000, 99'990'000, 99'990},
                         {"p100", 12345, 100 * kPercent, 12345},
                         {"beyond p100", 12345, 200 * kPercent, 12345},
                         {"tiny percentile is the first", 10, 1, 1},
                         {"p50 of the largest count", kTop, 50 * kPercent, kTop / 2 + 1},
                         {"p99.99999 of the largest count", kTop, 99'999'990, 18446742229035144245u}}) {
    CAPTURE(row.name);
    CHECK(percentile_rank(row.count, row.percent) == row.rank);
  }
}

TEST_CASE("histogram: percentiles of small values are exact") {
  const auto histogram = of({5, 1, 4, 2, 3, 200, 100});
  CHECK(histogram->percentile(50 * kPercent) == 4);
  CHECK(histogram->percentile(1) == 1);
  CHECK(histogram->percentile(90 * kPercent) == 200);
  CHECK(histogram->percentile(100 * kPercent) == 200);
  CHECK(histogram->min() == 1);
  CHECK(histogram->max() == 200);
  CHECK(histogram->sum() == 315);
}

TEST_CASE("histogram: percentiles stay between the exact minimum and maximum") {
  const auto one = of({1'000'003});
  CHECK(one->percentile(1) == 1'000'003);
  CHECK(one->percentile(50 * kPercent) == 1'000'003);
  const auto two = of({1'000'003, 1'000'005});  // the same slot
  CHECK(two->percentile(50 * kPercent) == 1'000'005);
  CHECK(two->percentile(100 * kPercent) == 1'000'005);
}

TEST_CASE("histogram: percentiles of random values lie at most 1/128 above the sorted truth") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::vector<std::uint64_t> values = random_values(1 + 97 * seed, seed);
    const auto histogram = of(values);
    std::ranges::sort(values);
    for (const std::uint64_t percent :
         {1ul, 1'000'000ul, 50'000'000ul, 90'000'000ul, 99'000'000ul, 99'900'000ul, 100'000'000ul}) {
      CAPTURE(seed);
      CAPTURE(percent);
      const std::uint64_t exact = values[percentile_rank(values.size(), percent) - 1];
      const std::uint64_t given = histogram->percentile(percent);
      CHECK(given >= exact);
      CHECK(given - exact <= exact / 128);
    }
    CHECK(histogram->percentile(100 * kPercent) == values.back());
  }
}

TEST_CASE("histogram: the full range is counted, with nothing dropped") {
  const auto histogram = of({0, 1, 255, 256, 257, std::uint64_t{1} << 63, kTop - 1, kTop});
  CHECK(histogram->count() == 8);
  CHECK(histogram->min() == 0);
  CHECK(histogram->max() == kTop);
  CHECK(histogram->percentile(100 * kPercent) == kTop);
  CHECK(histogram->percentile(1) == 0);
}

TEST_CASE("histogram: merging parts equals recording the whole") {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    const std::vector<std::uint64_t> values = random_values(1000, seed);
    const auto whole = of(values);
    const auto merged = std::make_unique<Histogram>();
    const std::size_t cut = 100 * seed;
    merged->merge(*of({values.begin(), values.begin() + static_cast<std::ptrdiff_t>(cut)}));
    merged->merge(Histogram{});
    merged->merge(*of({values.begin() + static_cast<std::ptrdiff_t>(cut), values.end()}));
    CHECK(same(*merged, *whole));
  }
}

TEST_CASE("histogram: a cleared one is like new") {
  const auto histogram = of(random_values(1000, 7));
  histogram->clear();
  CHECK(same(*histogram, Histogram{}));
  histogram->clear();
  histogram->record(42);
  CHECK(same(*histogram, *of({42})));
}

TEST_CASE("histogram: a stored one reads back the same") {
  const auto original = of(random_values(500, 3));
  const auto restored = std::make_unique<Histogram>();
  for (std::size_t slot = 0; slot < kHistogramSlots; ++slot) restored->add_to_slot(slot, original->slot_count(slot));
  restored->set_exact(original->sum(), original->min(), original->max());
  CHECK(same(*restored, *original));
  restored->clear();
  CHECK(same(*restored, Histogram{}));
}

TEST_CASE("histogram: operations above a bound are exact on slot edges") {
  const auto histogram = of({10, 20, 20, 30, 1000, 5000});
  struct Row {
    std::uint64_t bound, above;
  };
  for (const Row& row : {Row{0, 6},
                         {9, 6},
                         {10, 5},
                         {19, 5},
                         {20, 3},
                         {30, 2},
                         {histogram_upper_edge(histogram_slot(1000)), 1},
                         {4999, 1},
                         {5000, 0},
                         {kTop, 0}}) {
    CAPTURE(row.bound);
    CHECK(histogram->count_above(row.bound) == row.above);
  }
  CHECK(Histogram{}.count_above(0) == 0);
}

TEST_CASE("histogram: a percentile exceeds a bound exactly when too many operations are above it") {
  const std::vector<std::uint64_t> values = random_values(777, 11);
  const auto histogram = of(values);
  const std::uint64_t rank = percentile_rank(values.size(), 99 * kPercent);
  for (const std::uint64_t bound : values) {
    const bool over = histogram->percentile(99 * kPercent) > bound;
    REQUIRE(over == (histogram->count_above(bound) > values.size() - rank));
  }
}

TEST_CASE("histogram: standard deviation is that of the values, within the slots' width") {
  CHECK(Histogram{}.standard_deviation() == 0);
  CHECK(of({1'000'003, 1'000'003})->standard_deviation() == 0);
  CHECK(of({2, 4, 4, 4, 5, 5, 7, 9})->standard_deviation() == doctest::Approx(2.0));
  std::mt19937_64 random(5);
  std::vector<std::uint64_t> values(5000);
  double mean = 0;
  for (std::uint64_t& value : values) {
    value = 50'000 + random() % 200'000;
    mean += static_cast<double>(value) / 5000;
  }
  double squares = 0;
  for (const std::uint64_t value : values) squares += std::pow(static_cast<double>(value) - mean, 2);
  CHECK(of(values)->standard_deviation() == doctest::Approx(std::sqrt(squares / 5000)).epsilon(0.01));
}

}  // namespace
}  // namespace diskproof
