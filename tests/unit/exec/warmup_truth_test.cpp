// A warm-up operation never shows in any metric; what is measured is exactly what was asked for. Disk and clock are
// simulated.
#include <doctest/doctest.h>
#include <map>
#include <string>

#include "worker_bench.hpp"

namespace diskproof::testing {
namespace {

using Options = std::map<std::string, std::string>;

}  // namespace

TEST_CASE("warm-up: 4 s of it and 2 s measured at 1000 IOPS are 2000 operations, and 6 s in all") {
  for (const bool by_rate : {false, true}) {
    CAPTURE(by_rate);
    WorkerJob job{.depth = 8, .warmup = 4 * kSecond, .duration = 2 * kSecond};
    if (by_rate) job.rate = 1000;
    const Options disk{{"service_time", "500000"}, {"total_iops", by_rate ? "50000" : "1000"}};
    const WorkerOutcome outcome = run_on_sim(job, disk);
    CHECK(outcome.operations() == std::vector<std::uint64_t>{1000, 1000});
    CHECK(outcome.begin() == 4 * kSecond);
    CHECK(outcome.end() == 6 * kSecond);
  }
}

TEST_CASE("warm-up: a count of 1024 is measured exactly behind it") {
  for (const std::uint32_t depth : {1u, 7u, 32u}) {
    for (const std::uint64_t warmup : {1 * kMs, 10 * kMs + 300'000, kSecond}) {
      CAPTURE(depth);
      CAPTURE(warmup);
      const WorkerOutcome outcome =
          run_on_sim({.depth = depth, .warmup = warmup, .operations = 1024}, {{"service_time", "1000000"}});
      CHECK(outcome.total().operations == 1024);
      CHECK(outcome.total().bytes == 1024 * 4096);
      CHECK(outcome.total().latency.count() == 1024);
      CHECK(outcome.begin() >= warmup);
    }
  }
}

TEST_CASE("warm-up: slow and failed operations of it are in no count, latency or interval") {
  for (const bool counted : {false, true}) {
    CAPTURE(counted);
    WorkerJob job{.depth = 1, .warmup = 1000 * kMs + 500'000, .max_errors = 100};
    (counted ? job.operations : job.duration) = counted ? 100 : kSecond;
    Options disk{{"service_time", "1000000"}, {"tail_at", "700"}, {"tail_time", "200000000"}};
    const WorkerOutcome outcome = run_on_sim(job, disk);
    CHECK(outcome.total().latency.max() == kMs);
    CHECK(outcome.total().errors == 0);
    for (const Interval& row : outcome.rows) {
      CHECK(row.index >= 0);
      CHECK(row.directions[0].latency_max <= kMs);
    }
    disk = {{"service_time", "1000000"}, {"error_at", "10"}};
    const WorkerOutcome failed = run_on_sim(job, disk);
    CHECK(failed.errors == 1);  // of the phase
    CHECK(failed.total().errors == 0);
  }
}

}  // namespace diskproof::testing
