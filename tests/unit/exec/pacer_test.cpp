// The open loop: intended times, latency from them, and whose delay is whose.
#include "exec/pacer.hpp"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>

#include "exec/portable_math.hpp"
#include "exec/skewed_access.hpp"
#include "worker_bench.hpp"

namespace diskproof::testing {
namespace {

std::vector<Ticks> times(const PaceSetup& setup, int count, std::uint64_t ticks_per_second = kSecond) {
  Pacer pacer(setup, 0, TickScale::of(ticks_per_second));
  std::vector<Ticks> all;
  for (int i = 0; i < count; ++i, pacer.advance()) all.push_back(pacer.next());
  return all;
}

// What a seed says about Poisson arrivals, from the formula alone: ticks of a clock of 1 GHz.
std::vector<Ticks> poisson_times(std::uint64_t seed, double rate, std::size_t count) {
  Random random(seed);
  std::vector<Ticks> all;
  double at = 0;
  while (all.size() < count) {
    at += 1e9 / rate * -portable_log(1 - unit(random));
    all.push_back(static_cast<Ticks>(at));
  }
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

TEST_CASE("pacer: Poisson arrivals are those that the seed says") {
  const std::vector<Ticks> expected = poisson_times(7, 1000, 10'000);
  const std::vector<Ticks> found = times({1000, 0, 1, 7}, 10'000);
  std::uint64_t furthest = 0;  // the sum of the formula has a double's rounding, the pacer's has none
  for (std::size_t i = 0; i < expected.size(); ++i) {
    furthest = std::max(furthest, std::max(expected[i], found[i]) - std::min(expected[i], found[i]));
  }
  CHECK(furthest <= 1);
  CHECK(times({1000, 0, 1, 7}, 3) == std::vector<Ticks>(expected.begin(), expected.begin() + 3));
  CHECK(times({1000, 0, 1, 8}, 3) != times({1000, 0, 1, 7}, 3));
}

TEST_CASE("pacer: Poisson gaps have the mean and the spread of the exponential distribution") {
  constexpr std::size_t kCount = 100'000;
  const std::vector<Ticks> all = times({1000, 0, 2, 11}, kCount);  // half the rate: 2 ms on average
  double squares = 0, beyond = 0;
  for (std::size_t i = 1; i < kCount; ++i) {
    const double gap = static_cast<double>(all[i] - all[i - 1]);
    squares += (gap - 2e6) * (gap - 2e6);
    beyond += gap > 4e6;
  }
  CHECK(static_cast<double>(all.back()) / kCount == doctest::Approx(2e6).epsilon(0.01));
  CHECK(std::sqrt(squares / kCount) == doctest::Approx(2e6).epsilon(0.02));
  CHECK(beyond / kCount == doctest::Approx(std::exp(-2)).epsilon(0.03));
}

TEST_CASE("pacer: counts Poisson arrivals before a time, up to a bound") {
  const std::vector<Ticks> all = times({1000, 0, 1, 3}, 5000);
  const Pacer pacer({1000, 0, 1, 3}, 0, TickScale{});
  const auto before = static_cast<std::uint64_t>(std::ranges::lower_bound(all, 4 * kSecond) - all.begin());
  CHECK(pacer.count_before(4 * kSecond) == before);
  CHECK(pacer.count_before(4 * kSecond, 10) == 10);
  CHECK(pacer.count_before(all[9]) == 9);
  CHECK(pacer.count_before(all[9] + 1) == 10);
}

TEST_CASE("pacer: a backlog of millions of Poisson arrivals is counted by the mean") {
  const Pacer pacer({1e9, 0, 1, 3}, 0, TickScale{});
  const auto count = static_cast<double>(pacer.count_before(10 * kSecond));
  CHECK(count == doctest::Approx(1e10).epsilon(0.001));
}

TEST_CASE("open loop: what was due in the window is known exactly, also after a late start") {
  WorkerJob job{.depth = 1, .warmup = kSecond, .duration = kSecond};
  job.rate = 1000;
  const WorkerOutcome outcome = run_on_sim(job, {{"service_time", "2000000"}});
  REQUIRE(outcome.result.open_loop);
  CHECK(outcome.result.open_loop->due == 1000);
  CHECK(outcome.result.open_loop->issued == 500);
  CHECK(outcome.result.open_loop->unissued == 1000);  // those of the warm-up too
}

TEST_CASE("open loop: Poisson arrivals start exactly when the seed says") {
  std::vector<Ticks> started;
  ScriptedQueue queue;
  std::vector<dp_done> waiting;
  queue.submit = [&](const std::vector<dp_io>& ios) {
    for (const dp_io& io : ios) {
      started.push_back(queue.host.now() - kGo);
      waiting.push_back({0, io.length, io.tag, 0});
    }
    return static_cast<std::int32_t>(ios.size());
  };
  queue.reap = [&](dp_done* done, std::uint32_t, std::uint32_t, std::uint64_t) {
    std::copy(waiting.begin(), waiting.end(), done);
    const auto count = static_cast<std::int32_t>(waiting.size());
    waiting.clear();
    return count;
  };
  WorkerJob job{.depth = 8, .operations = 2000};
  job.rate = 1000;
  job.random_gaps = 21;
  const WorkerOutcome outcome = queue.run(job);
  CHECK(outcome.total().operations == 2000);
  CHECK(started == times({1000, 0, 1, 21}, 2000));
  CHECK(outcome.result.open_loop->lateness.max() == 0);
}

}  // namespace diskproof::testing
