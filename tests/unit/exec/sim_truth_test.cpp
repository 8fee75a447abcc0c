// What is measured against what the simulated disk was told to do, on a manual clock: no tolerance but the histogram's.
#include <cmath>
#include <doctest/doctest.h>
#include <optional>
#include <string>
#include <vector>

#include "metrics/members.hpp"
#include "metrics/phase_metrics.hpp"
#include "worker_bench.hpp"

using namespace diskproof;
using namespace diskproof::testing;

namespace {

using Counts = std::vector<std::uint64_t>;
using Options = std::map<std::string, std::string>;

constexpr std::uint64_t kP50 = 50'000'000, kP99 = 99'000'000, kP99999 = 99'999'000;  // percent, in millionths
constexpr std::uint64_t kHundredThousand = 100'000;

// A percentile is the upper edge of its slot: at most 1/128 above the truth, and never below.
void check_percentile(const WorkerOutcome& outcome, std::uint64_t percent, std::uint64_t truth) {
  CAPTURE(percent);
  CHECK(outcome.total().latency.percentile(percent) >= truth);
  CHECK(outcome.total().latency.percentile(percent) <= truth + truth / 128);
}

WorkerOutcome hundred_thousand(Options options) {
  options["service_time"] = "100000";
  options["tail_time"] = "50000000";
  return run_on_sim({.depth = 4, .operations = kHundredThousand}, options);
}

}  // namespace

TEST_CASE("sim truth: a limit of 6000 IOPS is 6000 operations in every second") {
  const WorkerOutcome outcome = run_on_sim({.depth = 32, .warmup = kSecond, .duration = 3 * kSecond},
                                           {{"service_time", "500000"}, {"total_iops", "6000"}});
  CHECK(outcome.operations() == Counts{6000, 6000, 6000});
  CHECK(outcome.total().bytes == 18'000 * 4096);
}

TEST_CASE("sim truth: a constant 1 ms is 1 ms at every percentile") {
  const WorkerOutcome outcome = run_on_sim({.depth = 8, .duration = 2 * kSecond}, {{"service_time", "1000000"}});
  for (const std::uint64_t percent : {kP50, kP99, kP99999}) CHECK(outcome.total().latency.percentile(percent) == kMs);
}

TEST_CASE("sim truth: 50 ms once in 100,000 is the exact maximum and nothing else") {
  const WorkerOutcome outcome = hundred_thousand({{"tail_at", "70000"}});
  CHECK(outcome.total().latency.count() == kHundredThousand);
  CHECK(outcome.total().latency.max() == 50 * kMs);
  check_percentile(outcome, kP99999, kMs / 10);
}

TEST_CASE("sim truth: 50 ms twice in 100,000 is the p99.999 too") {
  const WorkerOutcome outcome = hundred_thousand({{"tail_every", "50000"}});
  CHECK(outcome.total().latency.count() == kHundredThousand);
  CHECK(outcome.total().latency.max() == 50 * kMs);
  CHECK(outcome.total().latency.percentile(kP99999) == 50 * kMs);
  check_percentile(outcome, kP99, kMs / 10);
}

TEST_CASE("sim truth: 3000 IOPS for 5 s, then 300, each in its second") {
  const WorkerOutcome outcome = run_on_sim(
      {.depth = 32, .duration = 8 * kSecond},
      {{"service_time", "0"}, {"total_iops", "300"}, {"total_iops_burst", "3000"}, {"total_iops_credits", "13500"}});
  CHECK(outcome.operations() == Counts{3000, 3000, 3000, 3000, 3000, 300, 300, 300});
}

TEST_CASE("sim truth: writes fall off the cliff in the second in which the fresh space is full") {
  const WorkerOutcome outcome = run_on_sim({.depth = 32, .duration = 5 * kSecond, .mix = {.read = 0, .write = 100}},
                                           {{"service_time", "0"},
                                            {"write_bandwidth", "40960000"},
                                            {"cliff_after", "81920000"},
                                            {"cliff_write_bandwidth", "4096000"}});
  CHECK(outcome.operations(Direction::write) == Counts{10'000, 10'000, 1000, 1000, 1000});
}

TEST_CASE("sim truth: when every second operation fails, errors are counted apart and IOPS counts the others") {
  const WorkerOutcome outcome =
      run_on_sim({.depth = 16, .warmup = kSecond, .duration = 2 * kSecond, .max_errors = 100'000},
                 {{"service_time", "0"}, {"total_iops", "4000"}, {"error_every", "2"}});
  CHECK(outcome.operations() == Counts{2000, 2000});
  CHECK(outcome.total().errors == 4000);
  CHECK(outcome.total().bytes == 4000 * 4096);
  CHECK(outcome.total().latency.count() == 4000);
}

// 1000 operations a second for 4 s, half of them of 4 KiB, half of 32 KiB.
WorkerOutcome two_sizes_at_a_rate(std::optional<std::uint64_t> random_gaps) {
  WorkerJob job{.depth = 16, .duration = 4 * kSecond, .rate = 1000, .random_gaps = random_gaps};
  job.block_sizes = {{4096, 50}, {32768, 50}};
  job.access = Access::random;
  return run_on_sim(job, {{"service_time", "100000"}});
}

void check_two_sizes(const WorkerOutcome& outcome, double operations_within, double bytes_within) {
  const auto operations = static_cast<double>(outcome.total().operations);
  const auto bytes = static_cast<double>(outcome.total().bytes);
  CHECK(operations / 4 == doctest::Approx(1000).epsilon(operations_within));
  CHECK(bytes / 4e6 == doctest::Approx(18.4).epsilon(bytes_within));
  const double small = (32768 * operations - bytes) / (32768 - 4096);
  CHECK(std::abs(small / operations - 0.5) < 0.03);
}

TEST_CASE("sim truth: a rate with two block sizes is the rate, and the bandwidth of their mean") {
  const WorkerOutcome outcome = two_sizes_at_a_rate({});
  CHECK(outcome.operations() == Counts{1000, 1000, 1000, 1000});
  check_two_sizes(outcome, 0.01, 0.04);
}

TEST_CASE("sim truth: with Poisson arrivals the rate is the mean, and each interval has what the seed says") {
  constexpr std::uint64_t kSeed = 4;
  const WorkerOutcome outcome = two_sizes_at_a_rate(kSeed);
  check_two_sizes(outcome, 0.05, 0.07);
  Counts due(4);
  for (Pacer pacer({1000, 0, 1, kSeed}, 0, TickScale::of(kSecond)); pacer.next() < 4 * kSecond; pacer.advance()) {
    const Ticks done = pacer.next() + 100'000;
    if (done < 4 * kSecond) ++due[done / kSecond];
  }
  CHECK(outcome.operations() == due);
  CHECK(outcome.result.open_loop->due == outcome.result.open_loop->issued);
}

TEST_CASE("sim truth: a lognormal disk shows the median and the p99 that it was given") {
  const WorkerOutcome outcome =
      run_on_sim({.depth = 16, .operations = 400'000},
                 {{"service_time", "200000"}, {"distribution", "lognormal"}, {"service_time_p99", "1000000"}});
  const auto near = [&](std::uint64_t percent, double truth) {
    CHECK(static_cast<double>(outcome.total().latency.percentile(percent)) == doctest::Approx(truth).epsilon(0.015));
  };
  near(kP50, 200'000);
  near(kP99, 1'000'000);
}

TEST_CASE("sim truth: two workers of 1000 IOPS, for 1 s and for 4 s, are 5000 operations, 2000 of them in common") {
  std::vector<RunData> runs;
  for (const std::uint64_t seconds : {1U, 4U}) {
    const WorkerOutcome outcome =
        run_on_sim({.depth = 8, .duration = seconds * kSecond, .rate = 1000}, {{"service_time", "100000"}});
    CHECK(outcome.operations() == Counts(seconds, 1000));
    RunData& run = runs.emplace_back();
    run.window_end = seconds * kSecond;
    run.interval_grid = kSecond;
    run.directions = outcome.totals;
    run.intervals = outcome.rows;
  }
  const std::vector<Member> members{{&runs[0], 0}, {&runs[1], 0}};
  const auto column = [](const RunData& data) {
    Counts counts;
    for (const Interval& row : data.intervals) counts.push_back(interval_total(row).operations);
    return counts;
  };
  const RunData whole = sum_members(members);
  CHECK(column(whole) == Counts{2000, 1000, 1000, 1000});
  CHECK(compute_metrics(whole, {}).find("total.operations") == 5000);
  const auto common = common_window(members);
  REQUIRE(common);
  CHECK(column(*common) == Counts{2000});
  CHECK(compute_metrics(*common, {}).find("total.iops") == 2000);
  CHECK(compute_metrics(runs[0], {}).find("total.iops") == 1000);
  CHECK(compute_metrics(runs[1], {}).find("total.operations") == 4000);
}

TEST_CASE("sim truth: a bimodal disk shows both of its sides") {
  const WorkerOutcome outcome = run_on_sim(
      {.depth = 1, .operations = kHundredThousand},
      {{"service_time", "100000"}, {"distribution", "bimodal"}, {"slow_time", "5000000"}, {"slow_one_in", "50"}});
  check_percentile(outcome, kP50, 100'000);
  check_percentile(outcome, 97'000'000, 100'000);
  CHECK(outcome.total().latency.percentile(kP99) == 5 * kMs);
}
