// Several runs as one: what is exact is exact, and each score is the one asked for.
#include "metrics/runs.hpp"

#include <array>
#include <doctest/doctest.h>

#include "metrics/books.hpp"
#include "unit/metrics/run_data_samples.hpp"

namespace diskproof {
namespace {

using test::Burst;
using test::kRead;
using test::kSecond;

PhaseMetrics metrics_with(double bandwidth, double latency) {
  PhaseMetrics metrics;
  metrics.set("total.bandwidth", bandwidth);
  metrics.set("total.latency.mean", latency);
  metrics.set("total.operations", bandwidth * 10);
  return metrics;
}

TEST_CASE("runs: each score is taken of the values of its metric") {
  struct Row {
    Score score;
    double bandwidth, latency, operations;
  };
  const std::array runs{metrics_with(300, 5), metrics_with(100, 9), metrics_with(200, 2), metrics_with(800, 4)};
  const std::array<const PhaseMetrics*, 4> all{&runs[0], &runs[1], &runs[2], &runs[3]};
  for (const Row& row :
       {Row{Score::median, 250, 4.5, 2500}, Row{Score::mean, 350, 5, 3500}, Row{Score::max, 800, 9, 8000},
        Row{Score::min, 100, 2, 1000}, Row{Score::best, 800, 2, 2500}}) {
    CAPTURE(static_cast<int>(row.score));
    const PhaseMetrics scored = score_runs(all, row.score);
    CHECK(scored.find("total.bandwidth") == row.bandwidth);
    CHECK(scored.find("total.latency.mean") == row.latency);
    CHECK(scored.find("total.operations") == row.operations);
  }
}

TEST_CASE("runs: a metric that one run lacks has no score") {
  PhaseMetrics first = metrics_with(1, 1);
  first.set("drain.latency.max", 7);
  const PhaseMetrics second = metrics_with(2, 2);
  const std::array<const PhaseMetrics*, 2> both{&first, &second};
  CHECK_FALSE(score_runs(both, Score::max).find("drain.latency.max"));
  CHECK(score_runs({}, Score::max).all().empty());
}

TEST_CASE("runs: the scoring run is the one nearest to the score of all bandwidths") {
  const std::array runs{metrics_with(300, 5), metrics_with(100, 9), metrics_with(200, 2)};
  const std::array<const PhaseMetrics*, 3> all{&runs[0], &runs[1], &runs[2]};
  CHECK(scoring_run(all, Score::median) == 2);
  CHECK(scoring_run(all, Score::max) == 0);
  CHECK(scoring_run(all, Score::best) == 0);
  CHECK(scoring_run(all, Score::min) == 1);
  CHECK(scoring_run(std::span(all).first(2), Score::median) == 0);  // 300 and 100 are as near to 200
}

TEST_CASE("runs: joined runs are as long as all of them, and their books balance") {
  const auto first = test::run_of({{Burst{kRead, 100, 1000}}, {Burst{kRead, 50, 3000}}}, kSecond / 2);
  const auto second = test::run_of({{Burst{kRead, 200, 2000}}});
  const std::array<const RunData*, 2> both{first.get(), second.get()};
  const RunData joined = join_runs(both);
  CHECK(joined.window_end - joined.window_begin == 5 * kSecond / 2);
  CHECK(joined.directions[kRead].operations == 350);
  REQUIRE(joined.intervals.size() == 3);
  for (std::int64_t i = 0; i < 3; ++i) CHECK(joined.intervals[static_cast<std::size_t>(i)].index == i);
  CHECK_FALSE(joined.intervals[1].full);
  const PhaseMetrics metrics = compute_metrics(joined, {});
  CHECK(metrics.find("read.iops") == 140);
  CHECK_FALSE(check_books(joined, metrics));
}

TEST_CASE("runs: merged percentiles are those of all operations, not of the runs") {
  const auto fast = test::run_of({{Burst{kRead, 990, 100}}});
  const auto slow = test::run_of({{Burst{kRead, 10, 200}}});
  const std::array<const RunData*, 2> both{fast.get(), slow.get()};
  PhaseMetrics metrics;
  add_merged(compute_metrics(join_runs(both), {}), metrics);
  CHECK(metrics.find("merged.read.operations") == 1000);
  CHECK(metrics.find("merged.read.latency.p99") == 100);
  CHECK(metrics.find("merged.read.latency.p99.9") == 200);
  CHECK(metrics.find("merged.read.latency.max") == 200);
  CHECK(metrics.find("merged.read.latency.mean") == 101);
  CHECK_FALSE(metrics.find("merged.read.iops"));
  CHECK_FALSE(metrics.find("read.operations"));
}

}  // namespace
}  // namespace diskproof
