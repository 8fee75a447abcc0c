// Groups of phases on the real program: in turns, at the same time, and when something goes wrong.
#include <algorithm>
#include <csignal>
#include <doctest/doctest.h>

#include "integration/reports.hpp"

namespace diskproof::testing {
namespace {

std::string example(const std::string& name) { return DISKPROOF_SOURCE_DIR "/jobs/examples/" + name; }

std::string parallel_job(const std::string& first, const std::string& second, const std::string& group = "") {
  return "diskproof: 1\nname: parallel\n"
         "disks: {v: {virtual: {size: 1GiB}}, w: {virtual: {size: 1GiB}}}\n"
         "defaults: {engine: {name: sim, service_time: 100us}, queue_depth: 64, rate: {iops: 1000}}\n"
         "phases: [{name: both, " +
         group + "sample: 100ms, parallel: [{name: one, disk: v, " + first + "}, {name: two, disk: w, " + second +
         "}]}, {name: after, disk: v, operations_count: 10}]\n";
}

std::vector<std::string> starts_of(const Json& runs) {
  std::vector<std::string> starts;
  for (const Json& run : runs) starts.push_back(run.at("started_at"));
  return starts;
}

}  // namespace

TEST_CASE("the example of rounds lays out once, and its phases take turns") {
  const Bench bench;
  const Finished run = bench.diskproof({"run", example("rounds.yaml"), "--out", bench.path("out")});
  INFO(run.out, run.err);
  REQUIRE(run.code == 0);
  CHECK(schema_complaint(bench) == "");
  CHECK(joined(read_junit(bench).suites) == "preparation, layout/here, small, large, block_sizes");
  const Result result(bench);
  for (const char* phase : {"small", "large"}) {
    CAPTURE(phase);
    const Json& runs = result.phase(phase).at("runs");
    REQUIRE(runs.size() == 3);
    const std::vector<std::string> starts = starts_of(runs);
    CHECK(std::is_sorted(starts.begin(), starts.end()));
  }
  CHECK(result.outcome("block_sizes") == "pass");
  CHECK(run.out.find("median of 3   small: read.iops") != std::string::npos);
}

TEST_CASE("events of rounds come A B A B") {
  const Bench bench;
  const Finished run = bench.run(
      "diskproof: 1\nname: turns\ndisks: {v: {virtual: {size: 1GiB}}}\n"
      "phases: [{name: ab, disk: v, engine: {name: sim, service_time: 1ms}, duration: 600ms, "
      "rounds: {count: 2}, phases: [{name: a}, {name: b}]}]\n",
      {"--json"});
  INFO(run.out, run.err);
  REQUIRE(run.code == 0);
  std::string order;
  std::istringstream lines(run.out);
  for (std::string line; std::getline(lines, line);) {
    const Json event = Json::parse(line);
    if (event.at("event") != "tick") continue;
    const std::string turn = event.at("phase").get<std::string>() + event.at("run").dump();
    if (!order.ends_with(turn)) order += " " + turn;
  }
  CHECK(order == " a1 b1 a2 b2");
}

TEST_CASE("phases of a parallel group on two disks keep their windows, the group has their sum") {
  const Bench bench;
  const Finished run = bench.run(parallel_job("duration: 300ms", "duration: 900ms, operations: write"));
  INFO(run.out, run.err);
  REQUIRE(run.code == 0);
  CHECK(schema_complaint(bench) == "");
  CHECK(joined(read_junit(bench).suites) == "preparation, one, two, both, after");
  const Result result(bench);
  const Json& group = result.phase("both");
  CHECK(group.at("kind") == "group");
  CHECK(group.at("runs").empty());
  CHECK(result.metric("both", "total.operations") ==
        result.metric("one", "total.operations") + result.metric("two", "total.operations"));
  const Json& intervals = group.at("intervals");
  CHECK(intervals.at("index").size() == 9);
  CHECK(sum(intervals.at("read").at("operations")) == result.metric("one", "read.operations"));
  CHECK(sum(intervals.at("write").at("operations")) == result.metric("two", "write.operations"));
  const Json& common = group.at("common");
  CHECK(common.at("end").get<std::uint64_t>() - common.at("begin").get<std::uint64_t>() == 300'000'000);
  CHECK(sum(common.at("intervals").at("read").at("operations")) == common.at("metrics").at("read.operations"));
  CHECK(sum(common.at("intervals").at("write").at("operations")) == common.at("metrics").at("write.operations"));
  CHECK(run.out.find("whole run     both: 0 s to 900 ms: ") != std::string::npos);
  CHECK(run.out.find("in common     both: 0 s to 300 ms: ") != std::string::npos);
}

TEST_CASE("a phase of a parallel group that fails leaves the others to their end, and the group is an error") {
  const Bench bench;
  const Finished run =
      bench.run(parallel_job("duration: 5s, engine: {name: sim, service_time: 100us, error_at: 50}",
                             "duration: 300ms, thresholds: [read.iops >= 1]", "thresholds: [total.iops >= 1], "));
  INFO(run.out, run.err);
  CHECK(run.code == 2);
  const Result result(bench);
  CHECK(result.outcome("one") == "error");
  CHECK(result.outcome("two") == "pass");
  CHECK(result.outcome("both") == "error");
  CHECK(result.outcome("after") == "pass");
  CHECK(read_junit(bench).at("both", "total.iops >= 1").end == "error");
  CHECK(schema_complaint(bench) == "");
}

TEST_CASE("what phases of a parallel group wrote together is judged of all that write") {
  const Bench bench;
  const Finished run = bench.run(
      "diskproof: 1\nname: written\nmax_written: 4MiB\n"
      "disks: {v: {virtual: {size: 64MiB}, engine: {name: sim, service_time: 0ns}}}\n"
      "defaults: {disk: v, block_size: 64KiB, operations_count: 100, seed: 1, findings: {nothing_gated: ignore}}\n"
      "phases:\n"
      "  - name: both\n"
      "    parallel:\n"
      "      - {name: one, operations: {read: 50%, write: 50%}}\n"
      "      - {name: two, operations: {read: 50%, write: 50%}}\n"
      "      - {name: reads}\n");
  INFO(run.out, run.err);
  CHECK(run.code == 2);
  const Result result(bench);
  const std::string text = "at its end the job had written 5.88 MiB, more than its max_written of 4 MiB";
  CHECK(result.reason("one") == text);
  CHECK(result.reason("two") == text);
  CHECK(result.outcome("reads") == "pass");
  CHECK(result.outcome("both") == "error");
}

TEST_CASE("an interruption ends all phases of a parallel group") {
  const Bench bench;
  const auto program = bench.start(parallel_job("duration: 60s", "duration: 60s"));
  REQUIRE(bench.wait_for(*program, "\"event\":\"tick\""));
  program->signal(SIGINT);
  const Finished run = bench.finish(*program);
  CHECK(run.code == 130);
  const Result result(bench);
  for (const char* phase : {"one", "two", "both"}) {
    CAPTURE(phase);
    CHECK(result.outcome(phase) == "error");
    CHECK(result.phase(phase).at("interrupted") == true);
  }
  CHECK(result.reason("after") == "not run: interrupted");
  CHECK(bench.processes().empty());
}

TEST_CASE("the timeout of a group ends its phases") {
  const Bench bench;
  const Finished run = bench.run(parallel_job("bytes: 1GiB", "duration: 100ms", "timeout: 500ms, "));
  INFO(run.out, run.err);
  CHECK(run.code == 2);
  const Result result(bench);
  CHECK(result.reason("one") == "the timeout of group both passed (500 ms)");
  CHECK(result.outcome("two") == "pass");
  CHECK(result.outcome("after") == "pass");
}

}  // namespace diskproof::testing
