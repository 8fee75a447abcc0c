// What the program says of a simulated disk against what that disk was told to do. The disk keeps time by the clock, so
// these run alone. Queues hold 100 ms of work, so that a limit is met also when a busy machine preempts the worker.
#include <doctest/doctest.h>

#include "integration/reports.hpp"

namespace diskproof::testing {
namespace {

std::string sim_job(const std::string& options, const std::string& phase_keys) {
  return "diskproof: 1\nname: truth\ndisks: {v: {virtual: {size: 1GiB}}}\n"
         "phases: [{name: load, disk: v, engine: {name: sim, " +
         options + "}, " + phase_keys + "}]\n";
}

// A percentile is its slot's upper edge, so it may be 1/128 above what it stands for.
constexpr double kSlot = 1.0 / 128;

}  // namespace

TEST_CASE("6000 IOPS are measured as 6000 IOPS") {
  const Bench bench;
  const Finished run = bench.run(sim_job(
      "service_time: 500us, total_iops: 6000",
      "access: random, queue_depth: 1024, warmup: 500ms, duration: 3s, thresholds: [total.iops within 0.5% of 6000]"));
  INFO(run.out, run.err);
  CHECK(run.code == 0);
  const Result result(bench);
  CHECK(result.metric("load", "total.iops") == doctest::Approx(6000).epsilon(0.005));
  CHECK(result.metric("load", "read.bandwidth") == doctest::Approx(6000 * 4096).epsilon(0.005));
  // Little: what is in flight is what arrives times how long it stays.
  CHECK(result.metric("load", "queue_depth.mean") ==
        doctest::Approx(result.metric("load", "read.latency.mean") / 1e9 * 6000).epsilon(0.02));
}

TEST_CASE("limits on bandwidth and on one direction are measured as they are") {
  const Bench bench;
  const Finished run = bench.run(
      sim_job("service_time: 100us, read_bandwidth: 200MB/s, write_iops: 1000",
              "queue_depth: 512, block_size: 64KiB, warmup: 500ms, duration: 2s, thresholds: [total.errors == 0]"));
  INFO(run.out, run.err);
  REQUIRE(run.code == 0);
  CHECK(Result(bench).metric("load", "read.bandwidth") == doctest::Approx(200e6).epsilon(0.005));
}

TEST_CASE("a service time of 1 ms is measured as 1 ms") {
  const Bench bench;
  const Finished run = bench.run(sim_job(
      "service_time: 1ms", "queue_depth: 4, warmup: 200ms, duration: 2s, thresholds: [read.latency.p50 >= 1ms]"));
  INFO(run.out, run.err);
  CHECK(run.code == 0);
  const Result result(bench);
  CHECK(result.metric("load", "read.latency.min") >= 1e6);
  for (const std::string percentile : {"read.latency.p50", "read.latency.p99"}) {
    CAPTURE(percentile);
    CHECK(result.metric("load", percentile) >= 1e6);
    CHECK(result.metric("load", percentile) <= 1e6 * 1.01 * (1 + kSlot));
  }
}

TEST_CASE("one slow operation in 100,000 shows as the exact maximum and nowhere else") {
  const Bench bench;
  const Finished run = bench.run(sim_job("service_time: 0ns, tail_at: 50000, tail_time: 500ms",
                                         "operations_count: 100000, queue_depth: 16, thresholds: [read.latency.p99.99 "
                                         "< 400ms, read.latency.max >= 500ms]"));
  INFO(run.out, run.err);
  CHECK(run.code == 0);
  const Result result(bench);
  CHECK(result.metric("load", "read.operations") == 100'000);
  CHECK(result.metric("load", "read.latency.max") >= 500e6);
  CHECK(result.metric("load", "read.latency.max") < 510e6);  // not a slot's edge: that would be 3.9 ms off at most
  CHECK(result.metric("load", "read.latency.p99.999") < 400e6);
  // The slot of the maximum holds one operation.
  CHECK(result.phase("load").at("histograms").at("read").at("slots").back().at(1) == 1);
}

TEST_CASE("two slow operations in 100,000 are the p99.999 too") {
  const Bench bench;
  const Finished run = bench.run(sim_job("service_time: 0ns, tail_every: 50000, tail_time: 500ms",
                                         "operations_count: 100000, queue_depth: 16, thresholds: [total.errors == 0]"));
  INFO(run.out, run.err);
  REQUIRE(run.code == 0);
  const Result result(bench);
  CHECK(result.metric("load", "read.latency.p99.999") >= 500e6);
  CHECK(result.metric("load", "read.latency.p99.99") < 400e6);
}

TEST_CASE("burst credits end in the second in which they are spent") {
  const Bench bench;
  const Finished run = bench.run(
      sim_job("service_time: 500us, total_iops: 300, total_iops_burst: 3000, total_iops_credits: 13500",
              "queue_depth: 512, duration: 7s, sample: 1s, thresholds: [read.iops <= 1500 for 25% of intervals]"));
  INFO(run.out, run.err);
  CHECK(run.code == 0);
  const Result result(bench);
  const Json seconds = result.phase("load").at("intervals").at("read").at("operations");
  REQUIRE(seconds.size() == 7);
  for (std::size_t second = 0; second < 7; ++second) {
    CAPTURE(second);
    // Credits that a preempted worker left over are spent in the second that follows.
    const double tolerance = second == 5 ? 0.1 : 0.01;
    CHECK(seconds.at(second).get<double>() == doctest::Approx(second < 5 ? 3000 : 300).epsilon(tolerance));
  }
}

TEST_CASE("a phase begins behind the cliff that the one before fell off") {
  const Bench bench;
  const Finished run = bench.run(
      "diskproof: 1\nname: truth\ndisks: {v: {virtual: {size: 1GiB}, engine: {name: sim, service_time: 100us, "
      "cliff_after: 100MB, cliff_write_bandwidth: 20MB/s}}}\n"
      "defaults: {disk: v, operations: write, block_size: 64KiB, queue_depth: 32}\n"
      "phases: [{name: fill, bytes: 101MB}, "
      "{name: load, warmup: 200ms, duration: 1s, thresholds: [write.bandwidth within 1% of 20MB/s]}]\n");
  INFO(run.out, run.err);
  CHECK(run.code == 0);
  CHECK(Result(bench).metric("load", "write.bandwidth") == doctest::Approx(20e6).epsilon(0.01));
  CHECK(joined(bench.leftovers()) == "");
}

TEST_CASE("when every second operation fails, IOPS counts the other half") {
  const Bench bench;
  const Finished run = bench.run(
      sim_job("service_time: 500us, total_iops: 4000, error_every: 2",
              "queue_depth: 512, warmup: 300ms, duration: 2s, max_errors: 100000, thresholds: [read.iops <= 2020]"));
  INFO(run.out, run.err);
  CHECK(run.code == 0);
  const Result result(bench);
  CHECK(result.metric("load", "read.iops") == doctest::Approx(2000).epsilon(0.005));
  CHECK(result.metric("load", "read.errors") == doctest::Approx(4000).epsilon(0.005));
  CHECK(result.metric("load", "read.bandwidth") == doctest::Approx(2000 * 4096).epsilon(0.005));
}

TEST_CASE("500 IOPS against a floor of a million fails with both numbers") {
  const Bench bench;
  const Finished run =
      bench.run(sim_job("service_time: 1ms, total_iops: 500",
                        "queue_depth: 128, warmup: 300ms, duration: 1500ms, thresholds: [read.iops >= 1000000]"));
  INFO(run.out, run.err);
  CHECK(run.code == 1);
  const JunitEntry entry = read_junit(bench).at("load", "read.iops >= 1000000");
  CHECK(entry.end == "failure");
  CHECK(entry.message.find("required at least 1,000,000/s") != std::string::npos);
  CHECK(Result(bench).metric("load", "read.iops") == doctest::Approx(500).epsilon(0.01));
  for (const std::string& text : {entry.message, entry.body}) {
    CAPTURE(text);
    CHECK((text.find("was 500") != std::string::npos || text.find("was 499") != std::string::npos ||
           text.find("was 501") != std::string::npos));
  }
}

TEST_CASE("1000 IOPS for 1 s beside 1000 IOPS for 4 s are 5000 operations, 2000 of them in common") {
  const Bench bench;
  const Finished run =
      bench.diskproof({"run", DISKPROOF_SOURCE_DIR "/jobs/examples/parallel-phases.yaml", "--out", bench.path("out")});
  INFO(run.out, run.err);
  CHECK(run.code == 0);
  const Result result(bench);
  CHECK(result.metric("burst", "total.iops") == doctest::Approx(1000).epsilon(0.01));
  CHECK(result.metric("steady", "total.operations") == doctest::Approx(4000).epsilon(0.01));
  CHECK(result.metric("disturbed_reads", "total.operations") == doctest::Approx(5000).epsilon(0.01));
  const Json& group = result.phase("disturbed_reads");
  CHECK(group.at("common").at("metrics").at("total.iops").get<double>() == doctest::Approx(2000).epsilon(0.01));
  const Json& rows = group.at("intervals");
  REQUIRE(rows.at("index").size() == 4);
  for (std::size_t second = 0; second < 4; ++second) {
    CAPTURE(second);
    const double total = rows.at("read").at("operations").at(second).get<double>() +
                         rows.at("write").at("operations").at(second).get<double>();
    CHECK(total == doctest::Approx(second == 0 ? 2000 : 1000).epsilon(0.02));
  }
}

TEST_CASE("a slow warm-up is not in the measurement") {
  const Bench bench;
  // The first operation blocks the only server for 400 ms; the window begins 200 ms after that.
  const Finished run = bench.run(
      sim_job("service_time: 1ms, parallelism: 1, tail_at: 1, tail_time: 400ms",
              "queue_depth: 64, warmup: 600ms, duration: 1s, sample: 100ms, thresholds: [read.latency.max < 300ms]"));
  INFO(run.out, run.err);
  CHECK(run.code == 0);
  const Result result(bench);
  CHECK(result.metric("load", "read.iops") == doctest::Approx(1000).epsilon(0.01));
  const Json& warmup = result.phase("load").at("warmup_intervals").at("read");
  CHECK(warmup.at("operations").at(0) == 0);
  CHECK(warmup.at("latency_max").at(4) >= 400'000'000);
}

}  // namespace diskproof::testing
