// The measured loop against the simulated disk on a manual clock: every count and time is exact.
#include "exec/worker.hpp"

#include <doctest/doctest.h>
#include <numeric>
#include <string>

#include "worker_bench.hpp"

using namespace diskproof;
using namespace diskproof::testing;

namespace {

using Counts = std::vector<std::uint64_t>;
using Options = std::map<std::string, std::string>;

const Options kOneMs{{"service_time", "1000000"}};

std::uint64_t sum(const Counts& counts) { return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}); }

void check_books(const WorkerOutcome& outcome) {
  CHECK(outcome.result.in_flight_integral == outcome.result.in_window_time);
  for (std::size_t i = 0; i < kDirections; ++i) {
    CAPTURE(i);
    const auto direction = static_cast<Direction>(i);
    CHECK(sum(outcome.operations(direction)) == outcome.total(direction).operations);
    CHECK(outcome.total(direction).latency.count() == outcome.total(direction).operations);
  }
}

}  // namespace

TEST_CASE("worker: constant 1 ms at depth 4 for 2 s gives 4 operations per ms in each interval") {
  const WorkerOutcome outcome = run_on_sim({.depth = 4, .warmup = kSecond, .duration = 2 * kSecond}, kOneMs);
  CHECK(outcome.result.failure == "");
  CHECK(outcome.operations() == Counts{4000, 4000});
  CHECK(outcome.durations() == Counts{kSecond, kSecond});
  CHECK(outcome.total().operations == 8000);
  CHECK(outcome.total().bytes == 8000 * 4096);
  CHECK(outcome.total().latency.min() == kMs);
  CHECK(outcome.total().latency.max() == kMs);
  CHECK(outcome.total().latency.sum() == 8000 * kMs);
  CHECK(outcome.begin() == kSecond);
  CHECK(outcome.end() == 3 * kSecond);
  CHECK(outcome.result.in_flight_integral == 4 * 2 * kSecond);
  check_books(outcome);
  REQUIRE(outcome.warmup.size() == 1);
  CHECK(outcome.warmup[0].directions[0].operations == 4 * 999);  // nothing completes in the first ms
  CHECK(outcome.rows[0].full);
  CHECK(outcome.rows[1].full);
  StallLog stalls = outcome.result.stalls;
  for (const Gap& gap : stalls.gaps()) CHECK(gap.length() == kMs);
}

TEST_CASE("worker: an operation belongs to the window by its completion, the edge itself is outside") {
  const WorkerOutcome outcome = run_on_sim({.depth = 4, .duration = 2 * kSecond}, kOneMs);
  CHECK(outcome.operations() == Counts{3996, 4000});  // stamps 1…999 and 1000…1999 ms; 2000 ms is the window's end
  CHECK(outcome.result.drain.operations == 4);
  CHECK(outcome.result.drain.latency_max == kMs);
  CHECK(outcome.result.drain.finished);
  check_books(outcome);
}

TEST_CASE("worker: the depth is reached whatever the batch") {
  for (const std::uint32_t batch : {0u, 1u, 2u, 3u, 4u, 7u, 8u}) {
    CAPTURE(batch);
    const WorkerOutcome outcome =
        run_on_sim({.depth = 8, .batch = batch, .warmup = 100 * kMs, .duration = kSecond}, kOneMs);
    CHECK(outcome.operations() == Counts{8000});
    CHECK(outcome.result.in_flight_integral == 8 * kSecond);
    check_books(outcome);
  }
}

TEST_CASE("worker: warm-up rows are negative, the earliest may be short") {
  const WorkerOutcome outcome = run_on_sim({.warmup = 1500 * kMs, .duration = kSecond}, kOneMs);
  REQUIRE(outcome.warmup.size() == 2);
  CHECK(outcome.warmup[0].index == -2);
  CHECK(outcome.warmup[0].duration == 500 * kMs);
  CHECK(outcome.warmup[0].directions[0].operations == 499);
  CHECK(outcome.warmup[1].directions[0].operations == 1000);
  CHECK(outcome.operations() == Counts{1000});
  check_books(outcome);
}

TEST_CASE("worker: the last interval of a window may be shorter") {
  const WorkerOutcome outcome = run_on_sim({.warmup = kSecond, .duration = 2500 * kMs}, kOneMs);
  CHECK(outcome.durations() == Counts{kSecond, kSecond, 500 * kMs});
  CHECK(outcome.operations() == Counts{1000, 1000, 500});
  CHECK_FALSE(outcome.rows[2].full);
  check_books(outcome);
}

TEST_CASE("worker: intervals without a completion are there, empty") {
  Options options = kOneMs;
  options["tail_at"] = "500";
  options["tail_time"] = "3000000000";
  const WorkerOutcome outcome = run_on_sim({.duration = 5 * kSecond}, options);
  CHECK(outcome.operations() == Counts{499, 0, 0, 501, 1000});
  CHECK(outcome.total().latency.max() == 3 * kSecond);
  const std::vector<WorkerStalls> stalls{{outcome.result.stalls.gaps(), kGo, kGo + 5 * kSecond}};
  CHECK(longest_common_gap(stalls) == 3 * kSecond);
  check_books(outcome);
}

TEST_CASE("worker: what is in flight at the end is drained and counted apart") {
  Options options = kOneMs;
  options["tail_at"] = "19";
  options["tail_time"] = "50000000";
  const WorkerOutcome outcome = run_on_sim({.depth = 2, .duration = 10 * kMs}, options);
  CHECK(outcome.operations() == Counts{18});
  CHECK(outcome.total().latency.max() == kMs);
  CHECK(outcome.result.drain.operations == 2);
  CHECK(outcome.result.drain.latency_max == 50 * kMs);
  CHECK(outcome.result.drain.direction_latency_max == std::array<std::uint64_t, kDirections>{50 * kMs, 0, 0, 0});
  CHECK(outcome.result.in_flight_integral == 2 * 10 * kMs);  // clipped at the window's end
  CHECK(outcome.end() == 10 * kMs);
  check_books(outcome);
}

TEST_CASE("worker: a stall that reaches over the window's end counts as far as the window") {
  Options options = kOneMs;
  options["tail_at"] = "501";
  options["tail_time"] = "9000000000";
  const WorkerOutcome outcome = run_on_sim({.duration = 2 * kSecond}, options);
  CHECK(outcome.operations() == Counts{500, 0});
  CHECK(longest_common_gap(std::vector<WorkerStalls>{{outcome.result.stalls.gaps(), kGo, kGo + 2 * kSecond}}) ==
        1500 * kMs);
  CHECK(outcome.result.drain.latency_max == 9 * kSecond);
  check_books(outcome);
}

TEST_CASE("worker: a counted phase counts exactly N, from the first measured submit to the last completion") {
  struct Row {
    std::string name;
    WorkerJob job;
    std::uint64_t begin, end;  // ms
  };
  const Row rows[] = {
      {"depth 1", {.depth = 1, .operations = 10}, 0, 10},
      {"one operation", {.depth = 4, .operations = 1}, 0, 1},
      {"a multiple of the depth", {.depth = 4, .operations = 1000}, 0, 250},
      {"not a multiple of the depth", {.depth = 4, .operations = 10}, 0, 3},
      {"last completion on an interval's edge", {.depth = 4, .operations = 4000}, 0, 1000},
      {"several intervals", {.depth = 1, .operations = 2500}, 0, 2500},
      {"small batches", {.depth = 4, .batch = 1, .operations = 1000}, 0, 250},
      {"after a warm-up", {.depth = 4, .warmup = 10 * kMs + 500'000, .operations = 1000}, 11, 261},
      {"after a warm-up that ends with a completion", {.depth = 4, .warmup = 10 * kMs, .operations = 8}, 10, 12},
      {"after a long warm-up", {.depth = 3, .warmup = 3 * kSecond, .operations = 100}, 3000, 3034},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const WorkerOutcome outcome = run_on_sim(row.job, kOneMs);
    CHECK(outcome.total().operations == row.job.operations);
    CHECK(outcome.total().bytes == row.job.operations * 4096);
    CHECK(outcome.total().latency.sum() == row.job.operations * kMs);
    CHECK(outcome.begin() == row.begin * kMs);
    CHECK(outcome.end() == row.end * kMs);
    CHECK(outcome.result.drain.operations == 0);
    CHECK(sum(outcome.durations()) == (row.end * kMs - row.job.warmup));
    check_books(outcome);
  }
}

TEST_CASE("worker: a counted phase ends with its final sync inside the window") {
  const WorkerOutcome outcome = run_on_sim(
      {.depth = 4, .operations = 8, .final_flush = true, .mix = {.read = 0, .write = 100, .trim = 0}}, kOneMs);
  CHECK(outcome.total(Direction::write).operations == 8);
  CHECK(outcome.total(Direction::sync).operations == 1);
  CHECK(outcome.total(Direction::sync).bytes == 0);
  CHECK(outcome.total(Direction::sync).latency.max() == kMs);
  CHECK(outcome.end() == 3 * kMs);
  CHECK(outcome.result.drain.operations == 0);
  check_books(outcome);
}

TEST_CASE("worker: errors are counted apart and do not stop below max_errors") {
  Options options = kOneMs;
  options["error_every"] = "3";
  options["error_code"] = "enospc";
  const WorkerOutcome outcome = run_on_sim({.duration = 10 * kMs + 1, .max_errors = 100}, options);
  CHECK(outcome.total().operations == 7);  // 1 2 4 5 7 8 10
  CHECK(outcome.total().errors == 3);
  CHECK(outcome.total().bytes == 7 * 4096);
  CHECK(outcome.total().latency.sum() == 7 * kMs);
  CHECK(outcome.total().error_latency_sum == 3 * kMs);
  CHECK_FALSE(outcome.too_many_errors);
  CHECK(outcome.result.failure == "");
  REQUIRE(outcome.result.errors.size() == 3);
  CHECK(outcome.result.errors[0].code == DP_ENOSPC);
  CHECK(outcome.result.errors[0].offset == 2 * 4096);
  CHECK(outcome.result.errors[0].length == 4096);
  CHECK(outcome.result.errors[0].text.find("No space left on device") != std::string::npos);
  check_books(outcome);
}

TEST_CASE("worker: one error more than max_errors stops, what was measured is kept") {
  for (const std::uint64_t allowed : {0u, 1u, 2u}) {
    CAPTURE(allowed);
    Options options = kOneMs;
    options["error_every"] = "3";
    const WorkerOutcome outcome = run_on_sim({.duration = 10 * kSecond, .max_errors = allowed}, options);
    CHECK(outcome.too_many_errors);
    CHECK(outcome.errors == allowed + 1);
    CHECK(outcome.total().errors == allowed + 1);
    CHECK(outcome.total().operations == 2 * (allowed + 1));
    CHECK(outcome.end() == 3 * (allowed + 1) * kMs);
    check_books(outcome);
  }
}

TEST_CASE("worker: failed operations of a counted phase are among its N") {
  Options options = kOneMs;
  options["error_every"] = "5";
  const WorkerOutcome outcome = run_on_sim({.depth = 2, .operations = 100, .max_errors = 100}, options);
  CHECK(outcome.total().operations == 80);
  CHECK(outcome.total().errors == 20);
  check_books(outcome);
}

TEST_CASE("worker: only a few examples of errors are kept") {
  Options options = kOneMs;
  options["error_every"] = "1";
  const WorkerOutcome outcome = run_on_sim({.duration = 100 * kMs + 1, .max_errors = 1000}, options);
  CHECK(outcome.total().errors == 100);
  CHECK(outcome.total().operations == 0);
  CHECK(outcome.result.errors.size() == WorkerState::kErrorExamples);
}

TEST_CASE("worker: a short I/O is continued and counts once with its whole latency") {
  Options options = kOneMs;
  options["short_every"] = "2";
  // Of the accepted parts every second one is cut in half: 1 | 2+3 | 4+5 | …
  const WorkerOutcome outcome = run_on_sim({.duration = 10 * kMs}, options);
  CHECK(outcome.total().operations == 5);
  CHECK(outcome.total().bytes == 5 * 4096);
  CHECK(outcome.total().errors == 0);
  CHECK(outcome.total().latency.sum() == (1 + 4 * 2) * kMs);
  CHECK(outcome.total().latency.max() == 2 * kMs);
  check_books(outcome);
}

TEST_CASE("worker: a short I/O at the end of the window is finished in the drain") {
  Options options = kOneMs;
  options["short_every"] = "2";
  // The first half is back at 2 ms: its rest is under way at the end, or only about to be submitted.
  for (const std::uint64_t duration : {2 * kMs + 1, 2 * kMs}) {
    CAPTURE(duration);
    const WorkerOutcome outcome = run_on_sim({.duration = duration}, options);
    CHECK(outcome.total().operations == 1);
    CHECK(outcome.result.drain.operations == 1);
    CHECK(outcome.result.drain.latency_max == 2 * kMs);
    CHECK(outcome.result.drain.finished);
    check_books(outcome);
  }
}

TEST_CASE("worker: the warm-up of a counted phase has rows of its own") {
  const WorkerOutcome outcome = run_on_sim({.depth = 4, .warmup = 10 * kMs + 500'000, .operations = 100}, kOneMs);
  REQUIRE(outcome.warmup.size() == 1);
  CHECK(outcome.warmup[0].directions[0].operations == 40);  // those of 11 ms end inside the window and count nowhere
  CHECK(outcome.total().operations == 100);
}

TEST_CASE("worker: stop ends the window where it was seen and keeps what was measured") {
  struct Row {
    std::string name;
    WorkerJob job;
    Counts operations;
    std::uint64_t end;  // ms
    std::uint64_t drained;
  };
  const Row rows[] = {
      {"by the clock", {.depth = 2, .duration = 60 * kSecond, .stop_at = 1500 * kMs}, {1998, 1002}, 1500, 2},
      {"on an interval's edge", {.depth = 2, .duration = 60 * kSecond, .stop_at = kSecond}, {1998, 2}, 1000, 2},
      {"counted", {.depth = 2, .operations = 1'000'000, .stop_at = 10 * kMs}, {20}, 10, 2},
      {"in the warm-up", {.warmup = kSecond, .duration = kSecond, .stop_at = 100 * kMs}, {}, 100, 1},
      {"before the first submit", {.duration = kSecond, .stop_at = 0}, {}, 0, 0},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const WorkerOutcome outcome = run_on_sim(row.job, kOneMs);
    CHECK(outcome.operations() == row.operations);
    CHECK(outcome.end() == row.end * kMs);
    // What was submitted with the stamp that saw the stop is not there: the loop ends before it prepares more.
    CHECK(outcome.result.drain.operations <= row.drained);
    CHECK(outcome.result.failure == "");
    check_books(outcome);
  }
}

TEST_CASE("worker: mixed directions are counted apart and sum to the whole") {
  const WorkerOutcome outcome = run_on_sim(
      {.depth = 4, .warmup = kSecond, .duration = 2 * kSecond, .mix = {.read = 50, .write = 30, .trim = 20}}, kOneMs);
  std::uint64_t operations = 0;
  for (const Direction direction : {Direction::read, Direction::write, Direction::trim}) {
    CHECK(outcome.total(direction).operations > 1000);
    operations += outcome.total(direction).operations;
  }
  CHECK(operations == 8000);
  check_books(outcome);
}

TEST_CASE("worker: a rate limit of the disk shows as it is") {
  const WorkerOutcome outcome = run_on_sim({.depth = 8, .warmup = kSecond, .duration = 3 * kSecond},
                                           {{"service_time", "100000"}, {"read_iops", "2000"}});
  CHECK(outcome.operations() == Counts{2000, 2000, 2000});
  CHECK(outcome.result.in_flight_integral == 8 * 3 * kSecond);
  check_books(outcome);
}
