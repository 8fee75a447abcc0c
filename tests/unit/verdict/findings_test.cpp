// The list of findings, the job's word on their level, and when each is made.
#include "verdict/findings.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "job/findings.hpp"
#include "unit/metrics/run_data_samples.hpp"

namespace diskproof {
namespace {

using test::Burst;
using test::kRead;

bool has(const std::optional<std::string>& text, std::string_view part) {
  return text && text->find(part) != std::string::npos;
}

TEST_CASE("findings: each is listed once, with advice, and the job file knows the same ones") {
  std::set<std::string_view> seen;
  for (const FindingRow& row : finding_rows()) {
    CAPTURE(std::string(row.name));
    CHECK(seen.insert(row.name).second);
    CHECK_FALSE(row.advice.empty());
    const auto known = std::ranges::find(kFindings, row.name, &FindingDefault::name);
    CHECK((known != kFindings.end()) == !row.later);
    if (known != kFindings.end()) CHECK((known->severity == Severity::error) == (row.level == FindingLevel::error));
  }
  for (const FindingDefault& row : kFindings) CHECK(find_finding(row.name) != nullptr);
  CHECK(find_finding("no_such") == nullptr);
}

TEST_CASE("findings: the job's override decides the level") {
  CHECK(make_finding("on_tmpfs", "t", {})->level == FindingLevel::error);
  CHECK(make_finding("on_tmpfs", "t", {{"on_tmpfs", Severity::warn}})->level == FindingLevel::warn);
  CHECK(make_finding("long_drain", "t", {{"on_tmpfs", Severity::ignore}})->level == FindingLevel::warn);
  CHECK(make_finding("long_drain", "t", {{"long_drain", Severity::error}})->level == FindingLevel::error);
  CHECK_FALSE(make_finding("on_tmpfs", "t", {{"on_tmpfs", Severity::ignore}}));
  CHECK(make_finding("capped", "t", {})->text == "t");
  CHECK_FALSE(make_finding("capped", "t", {})->advice.empty());
  CHECK_THROWS_AS(make_finding("no_such", "t", {}), std::logic_error);
}

TEST_CASE("findings: books_do_not_balance tells which rule broke") {
  const auto run = test::run_of({{Burst{kRead, 100, 10}}});
  CHECK_FALSE(books_do_not_balance(*run, compute_metrics(*run, {})));
  run->in_flight_integral *= 3;
  CHECK(has(books_do_not_balance(*run, compute_metrics(*run, {})), "(in flight)"));
}

TEST_CASE("findings: clock_drift from a tenth of a percent, in either direction, at either time") {
  RunData data;
  CHECK_FALSE(clock_drift(data));
  data.clock = ClockFacts{"monotonic", 1'000'000'000, {}, {}};
  CHECK_FALSE(clock_drift(data));
  data.clock = ClockFacts{"cycles", 2'000'000'000, 999.0, -1000.0};
  CHECK_FALSE(clock_drift(data));
  data.clock->drift = -1500.4;
  CHECK(has(clock_drift(data),
            "taken as 2000000000 per second, went -1500 ppm from the system's clock while the phase ran; 1000 are"));
  data.clock->drift = 3;
  data.clock->drift_before = 20000.0;
  CHECK(has(clock_drift(data), "went +20000 ppm from the system's clock before the phase started"));
}

TEST_CASE("findings: depth_not_reached below nine tenths of the plan") {
  PhaseMetrics metrics;
  CHECK_FALSE(depth_not_reached(metrics, 64));
  metrics.set("queue_depth.mean", 57.6);
  CHECK_FALSE(depth_not_reached(metrics, 64));
  metrics.set("queue_depth.mean", 32);
  CHECK(has(depth_not_reached(metrics, 64), "was 32, 50 % of the 64 planned"));
}

TEST_CASE("findings: runner_limited from a tenth of the usual latency") {
  PhaseMetrics metrics;
  metrics.set("total.latency.p50", 100'000);
  CHECK_FALSE(runner_limited(metrics));  // a closed loop
  metrics.set("runner.lateness.p99", 10'000);
  CHECK_FALSE(runner_limited(metrics));
  metrics.set("runner.lateness.p99", 12'000);
  CHECK(has(runner_limited(metrics), "up to 12 us late"));
  CHECK(has(runner_limited(metrics), "latency p50 of 100 us"));
  PhaseMetrics idle;
  idle.set("runner.lateness.p99", 12'000);
  CHECK_FALSE(runner_limited(idle));
}

TEST_CASE("findings: runner_limited from a tenth of the time of the workers") {
  PhaseMetrics metrics;
  metrics.set("runner.overhead", 0.1);
  CHECK_FALSE(runner_limited(metrics));
  metrics.set("runner.overhead", 0.34);
  CHECK(has(runner_limited(metrics), "took 34 % of the workers' time"));
}

TEST_CASE("findings: verify_limited from half of the workers' time") {
  RunData data;
  CHECK_FALSE(verify_limited(data));  // nothing is stamped
  data.verify.emplace();
  CHECK_FALSE(verify_limited(data));
  data.verify->wall = 1000;
  data.verify->busy = 499;
  CHECK_FALSE(verify_limited(data));
  data.verify->busy = 500;
  CHECK(*verify_limited(data) == "making and checking stamps took 50 % of the workers' time");
}

TEST_CASE("findings: batch_bound_latency when most batches were seen as a whole") {
  struct Row {
    std::uint64_t batches, whole;
    bool found;
  };
  const Row rows[] = {{100, 51, true}, {100, 50, false}, {10, 10, true}, {9, 9, false}, {0, 0, false}};
  for (const Row& row : rows) {
    CAPTURE(row.batches);
    RunData data;
    CHECK_FALSE(batch_bound_latency(data));
    data.looks = RoundLooks{1, 2, row.batches, row.whole};
    CHECK(batch_bound_latency(data).has_value() == row.found);
  }
  RunData data;
  data.looks = RoundLooks{1, 2, 200, 180};
  CHECK(has(batch_bound_latency(data), "90 % of the batches"));
  CHECK(has(batch_bound_latency(data), "180 of 200 looked at"));
}

TEST_CASE("findings: long_drain compares the oldest I/O with the p99.9") {
  struct Row {
    std::string name;
    std::uint64_t drained, oldest;
    double p999;
    bool found;
  };
  for (const Row& row :
       {Row{"nothing drained", 0, 0, 1e6, false}, Row{"usual", 4, 9'000'000, 1e6, false},
        Row{"many times the p99.9 but short", 4, 90'000'000, 1e6, false}, Row{"long", 4, 200'000'000, 1e6, true},
        Row{"slow disk, deep queue", 256, 3'000'000'000, 2.5e9, false},
        Row{"nothing to compare, short", 4, 900'000'000, 0, false},
        Row{"nothing to compare, long", 4, 1'100'000'000, 0, true}}) {
    CAPTURE(row.name);
    RunData run;
    run.drain = {.operations = row.drained, .latency_max = row.oldest, .direction_latency_max = {}, .finished = true};
    PhaseMetrics metrics;
    if (row.p999 > 0) metrics.set("total.latency.p99.9", row.p999);
    CHECK(long_drain(run, metrics).has_value() == row.found);
  }
}

TEST_CASE("findings: on_tmpfs for file systems in memory only") {
  CHECK(has(on_tmpfs("tmpfs", "/dev/shm/f"), "/dev/shm/f is on tmpfs"));
  CHECK(on_tmpfs("ramfs", "/x"));
  CHECK_FALSE(on_tmpfs("ext4", "/x"));
  CHECK_FALSE(on_tmpfs("", "/x"));
}

TEST_CASE("findings: throttled_by_us names every limit of the throttle") {
  const LimitGroup throttle{.name = "", .values = {{"read.iops", 750}, {"write.bandwidth", 5e6}}};
  const std::string text = throttled_by_us("data", throttle).value_or("");
  CHECK(text == "the job's throttle held the disk data to read.iops 750/s, write.bandwidth 5 MB/s");
  CHECK_FALSE(throttled_by_us("data", {}));
}

PhaseMetrics writes(double iops) {
  PhaseMetrics metrics;
  for (const std::string direction : {"write", "total"}) {
    metrics.set(direction + ".operations", iops * 10);
    metrics.set(direction + ".bytes", iops * 10 * 4096);
    metrics.set(direction + ".iops", iops);
    metrics.set(direction + ".bandwidth", iops * 4096);
  }
  return metrics;
}

TEST_CASE("findings: over_limit from five percent above the tightest limit") {
  const std::vector<LimitGroup> limits{{"", {{"write.iops", 600}}}, {"instance", {{"total.iops", 15000}}}};
  CHECK_FALSE(over_limit(writes(630), limits));
  CHECK(has(over_limit(writes(2967), limits), "write.iops was 2,967/s, 494 % of the limit 600/s (disk write.iops)"));
  CHECK_FALSE(over_limit(writes(2967), {}));
}

TEST_CASE("findings: capped names the limit out of reach and the one that holds") {
  const std::vector<LimitGroup> limits{{"", {{"write.iops", 30000}}}, {"instance", {{"total.iops", 15000}}}};
  CHECK(capped("write.iops", writes(14910), limits) ==
        "write.iops: disk limit 30,000/s unreachable, instance 15,000/s");
  CHECK_FALSE(capped("write.iops", writes(14910), std::vector<LimitGroup>{limits[0]}));
  CHECK_FALSE(capped("read.iops", writes(14910), limits));
  CHECK_FALSE(capped("no.metric", writes(1), limits));
}

}  // namespace
}  // namespace diskproof
