// The open loop: intended times, latency from them, and whose delay is whose.
#include "exec/pacer.hpp"

#include <doctest/doctest.h>

#include "worker_bench.hpp"

namespace diskproof::testing {
namespace {

std::vector<Ticks> times(const PaceSetup& setup, int count, std::uint64_t ticks_per_second = kSecond) {
  Pacer pacer(setup, 0, TickScale::of(ticks_per_second));
  std::vector<Ticks> all;
  for (int i = 0; i < count; ++i, pacer.advance()) all.push_back(pacer.next());
  return all;
}

}  // namespace

TEST_CASE("pacer: threads take turns at an even distance") {
  CHECK(times({1000, 0, 2}, 3) == std::vector<Ticks>{0, 2 * kMs, 4 * kMs});
  CHECK(times({1000, 1, 2}, 3) == std::vector<Ticks>{1 * kMs, 3 * kMs, 5 * kMs});
}

TEST_CASE("pacer: a period that is no whole number of ticks does not drift") {
  Pacer pacer({3, 0, 1}, 0, TickScale::of(1000));
  for (int i = 0; i < 3'000'000; ++i) pacer.advance();
  CHECK(pacer.next() >= 999'999'999);
  CHECK(pacer.next() <= 1'000'000'000);
}

TEST_CASE("pacer: counts what is meant to start before a time") {
  struct Row {
    std::string name;
    Ticks end;
    std::uint64_t count;
  };
  for (const Row& row : {Row{"before the first", 0, 0},
                         {"just behind the first", 1, 1},
                         {"at the second", 1 * kMs, 1},
                         {"behind the second", 1 * kMs + 1, 2},
                         {"a second", kSecond, 1000}}) {
    CAPTURE(row.name);
    CHECK(Pacer({1000, 0, 1}, 0, TickScale{}).count_before(row.end) == row.count);
  }
}

TEST_CASE("open loop: a disk that keeps up gets the rate, punctually") {
  WorkerJob job{.depth = 4, .duration = 2 * kSecond};
  job.rate = 1000;
  const WorkerOutcome outcome = run_on_sim(job, {{"service_time", "1000000"}});
  // Started at 0, 1, ... 1999 ms and done 1 ms later: the last one is done at the window's very end.
  CHECK(outcome.operations() == std::vector<std::uint64_t>{999, 1000});
  CHECK(outcome.result.drain.operations == 1);
  REQUIRE(outcome.result.open_loop);
  const OpenLoop& loop = *outcome.result.open_loop;
  CHECK(loop.issued == 2000);
  CHECK(loop.unissued == 0);
  CHECK(loop.lateness.max() == 0);
  CHECK(outcome.total().latency.min() == 1 * kMs);
  CHECK(outcome.total().latency.max() == 1 * kMs);
  CHECK(loop.service[0].count() == outcome.total().operations);
  CHECK(loop.service[0].max() == 1 * kMs);
}

TEST_CASE("open loop: a stall shows in the latency from the intended start, not in the usual service time") {
  WorkerJob job{.depth = 1, .duration = 2 * kSecond};
  job.rate = 500;
  const WorkerOutcome outcome =
      run_on_sim(job, {{"service_time", "1000000"}, {"tail_at", "500"}, {"tail_time", "100000000"}});
  REQUIRE(outcome.result.open_loop);
  const OpenLoop& loop = *outcome.result.open_loop;
  CHECK(loop.service[0].percentile(50'000'000) <= 1 * kMs * 129 / 128);
  CHECK(loop.service[0].max() == 100 * kMs);
  // 50 operations were due in the stall; they and those behind them wait until the backlog is gone.
  CHECK(outcome.total().latency.percentile(99'000'000) > 50 * kMs);
  CHECK(outcome.total().latency.max() == 100 * kMs);
  CHECK(outcome.result.stalls.gaps().size() > 0);
  CHECK(loop.lateness.max() == 0);  // the runner itself was never late
  CHECK(loop.unissued == 0);
}

TEST_CASE("open loop: a queue that is empty between operations is no stall") {
  WorkerJob job{.depth = 4, .duration = 2 * kSecond};
  job.rate = 5;
  const WorkerOutcome outcome = run_on_sim(job, {{"service_time", "1000000"}});
  CHECK(outcome.total().operations == 10);
  for (const Gap& gap : outcome.result.stalls.gaps()) CHECK(gap.length() <= 1 * kMs);
}

TEST_CASE("open loop: what a slow disk keeps from starting is counted") {
  WorkerJob job{.depth = 1, .duration = 1 * kSecond};
  job.rate = 1000;
  const WorkerOutcome outcome = run_on_sim(job, {{"service_time", "2000000"}});
  REQUIRE(outcome.result.open_loop);
  const OpenLoop& loop = *outcome.result.open_loop;
  CHECK(loop.issued == 500);
  CHECK(loop.unissued == 500);
  CHECK(outcome.result.in_flight_integral == outcome.result.in_window_time);
}

TEST_CASE("open loop: a counted phase issues exactly its operations, behind the warm-up") {
  WorkerJob job{.depth = 4, .warmup = kSecond, .operations = 250};
  job.rate = 500;
  const WorkerOutcome outcome = run_on_sim(job, {{"service_time", "1000000"}});
  CHECK(outcome.total().operations == 250);
  CHECK(outcome.begin() == kSecond);
  CHECK(outcome.end() == kSecond + 249 * 2 * kMs + 1 * kMs);
  REQUIRE(outcome.result.open_loop);
  CHECK(outcome.result.open_loop->service[0].count() == 250);
  CHECK(outcome.result.open_loop->issued == 250);
}

TEST_CASE("open loop: a counted phase that is done leaves nothing unissued, one that is stopped does") {
  WorkerJob job{.depth = 4, .operations = 250};
  job.rate = 500;
  const std::map<std::string, std::string> slow{{"service_time", "20000000"}, {"parallelism", "4"}};
  const WorkerOutcome whole = run_on_sim(job, slow);
  REQUIRE(whole.result.open_loop);
  CHECK(whole.result.open_loop->issued == 250);
  CHECK(whole.result.open_loop->unissued == 0);
  job.stop_at = kSecond;
  const WorkerOutcome part = run_on_sim(job, slow);
  REQUIRE(part.result.open_loop);
  CHECK(part.result.open_loop->issued < 250);
  CHECK(part.result.open_loop->unissued > 0);
  CHECK(part.result.open_loop->issued + part.result.open_loop->unissued <= 250);
}

}  // namespace diskproof::testing
