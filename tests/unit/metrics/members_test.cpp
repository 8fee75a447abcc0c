// Phases that ran at the same time: in the whole run and in the common window the sums equal the series.
#include "metrics/members.hpp"

#include <array>
#include <doctest/doctest.h>

#include "metrics/books.hpp"
#include "unit/metrics/run_data_samples.hpp"

namespace diskproof {
namespace {

using test::Burst;
using test::kRead;
using test::kSecond;
using test::kWrite;

std::vector<std::uint64_t> totals_of(const std::vector<Interval>& rows) {
  std::vector<std::uint64_t> column;
  for (const Interval& row : rows) column.push_back(interval_total(row).operations);
  return column;
}

std::unique_ptr<RunData> steady(std::size_t direction, std::size_t seconds, std::uint64_t last = kSecond) {
  return test::run_of(std::vector<std::vector<Burst>>(seconds, {Burst{direction, 1000, 1'000'000}}), last);
}

// The same run behind a warm-up.
std::unique_ptr<RunData> later(std::unique_ptr<RunData> data, std::uint64_t warmup) {
  data->window_begin += warmup;
  data->window_end += warmup;
  return data;
}

TEST_CASE("members: 1 s and 4 s of 1000 IOPS are 5000 operations, of which 2000 in common") {
  const auto shorter = steady(kWrite, 1), longer = steady(kRead, 4);
  const std::array members{Member{shorter.get(), 0}, Member{longer.get(), 0}};

  const RunData whole = sum_members(members);
  CHECK(totals_of(whole.intervals) == std::vector<std::uint64_t>{2000, 1000, 1000, 1000});
  CHECK(whole.window_begin == 0);
  CHECK(whole.window_end == 4 * kSecond);
  const PhaseMetrics metrics = compute_metrics(whole, {});
  CHECK(metrics.find("total.operations") == 5000);
  CHECK(metrics.find("total.iops") == 1250);
  CHECK(metrics.find("read.operations") == 4000);
  CHECK(metrics.find("read.latency.p99") == 1'000'000);
  CHECK_FALSE(check_books(whole, metrics));

  const auto common = common_window(members);
  REQUIRE(common);
  CHECK(totals_of(common->intervals) == std::vector<std::uint64_t>{2000});
  CHECK(common->window_begin == 0);
  CHECK(common->window_end == kSecond);
  const PhaseMetrics shared = compute_metrics(*common, {});
  CHECK(shared.find("total.operations") == 2000);
  CHECK(shared.find("total.iops") == 2000);
  CHECK(shared.find("write.iops") == 1000);
  CHECK(shared.find("write.latency.mean") == 1'000'000);
  CHECK(shared.find("write.latency.max") == 1'000'000);
  CHECK_FALSE(shared.find("write.latency.p99"));
}

TEST_CASE("members: a later window lies later in the series, and time in which nobody measured is there") {
  const auto early = steady(kRead, 1), late = later(steady(kRead, 2), 3 * kSecond);
  const std::array members{Member{early.get(), 0}, Member{late.get(), 3 * kSecond}};
  const RunData whole = sum_members(members);
  CHECK(totals_of(whole.intervals) == std::vector<std::uint64_t>{1000, 0, 0, 1000, 1000});
  for (const Interval& row : whole.intervals) CHECK(row.full);
  CHECK(compute_metrics(whole, {}).find("total.iops") == 600);
  CHECK_FALSE(common_window(members));
}

TEST_CASE("members: the common window has whole intervals of every member only") {
  const auto cut = steady(kRead, 3, kSecond / 2), late = later(steady(kRead, 5), kSecond);
  const std::array members{Member{cut.get(), 0}, Member{late.get(), kSecond}};
  const auto common = common_window(members);
  REQUIRE(common);
  CHECK(common->window_begin == kSecond);
  CHECK(common->window_end == 2 * kSecond);
  CHECK(totals_of(common->intervals) == std::vector<std::uint64_t>{2000});
  CHECK(common->intervals[0].index == 0);
  const RunData whole = sum_members(members);
  CHECK(totals_of(whole.intervals) == std::vector<std::uint64_t>{1000, 2000, 2000, 1000, 1000, 1000});
  CHECK(whole.intervals[2].full);
}

TEST_CASE("members: one member is its own group") {
  const auto only = steady(kRead, 2);
  const std::array members{Member{only.get(), 7 * kSecond}};
  CHECK(totals_of(sum_members(members).intervals) == totals_of(only->intervals));
  CHECK(totals_of(common_window(members)->intervals) == totals_of(only->intervals));
}

}  // namespace
}  // namespace diskproof
