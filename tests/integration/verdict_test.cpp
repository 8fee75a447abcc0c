// What makes a run fail, and how the exit code and the JUnit report say so.
#include <cmath>
#include <doctest/doctest.h>

#include "integration/reports.hpp"

namespace diskproof::testing {
namespace {

// A simulated disk that ends each operation after 1 ms; the phase's keys are the test's.
std::string sim_job(const std::string& phase_keys) {
  return "diskproof: 1\nname: judged\ndisks: {v: {virtual: {size: 1GiB}}}\nphases:\n"
         "  - {name: load, disk: v, engine: {name: sim, service_time: 1ms}, operations_count: 50, " +
         phase_keys + "}\n";
}

// The number in "read.iops was 1,000/s".
double iops_shown(const std::string& text) {
  constexpr std::string_view kBefore = "read.iops was ";
  const auto begin = text.find(kBefore);
  if (begin == std::string::npos) return 0;
  std::string digits = text.substr(begin + kBefore.size(), text.find("/s", begin) - begin - kBefore.size());
  std::erase(digits, ',');
  return std::stod(digits);
}

}  // namespace

TEST_CASE("an impossible threshold fails the run and says what was observed and what was asked") {
  const Bench bench;
  const Finished run = bench.run(sim_job("thresholds: [read.iops >= 1000000, read.operations == 50]"));
  INFO(run.out, run.err);
  REQUIRE(run.code == 1);
  CHECK(schema_complaint(bench) == "");
  const Junit junit = read_junit(bench);
  CHECK(junit.at("load", "runs").end == "passed");
  CHECK(junit.at("load", "read.operations == 50").end == "passed");

  const JunitEntry failed = junit.at("load", "read.iops >= 1000000");
  CHECK(failed.end == "failure");
  CHECK(failed.type == "ThresholdExceeded");
  const Result result(bench);
  const Json& threshold = result.phase("load").at("thresholds").at(0);
  CHECK(threshold.at("bound") == 1000000);
  const auto observed = threshold.at("observed").get<double>();
  CHECK(observed > 0);
  CHECK(observed <= 1000);
  for (const std::string& text : {failed.message, failed.body}) {
    CAPTURE(text);
    CHECK(std::abs(iops_shown(text) - observed) <= observed / 1000);  // shown to four digits
    CHECK(text.find("1,000,000") != std::string::npos);
  }
  CHECK(run.out.find("FAIL: a threshold does not hold (exit code 1)") != std::string::npos);
}

TEST_CASE("a threshold that only warns fails nothing, and is reported") {
  const Bench bench;
  const Finished run = bench.run(sim_job("thresholds: [{check: read.iops >= 1000000, severity: warn}]"));
  CHECK(run.code == 0);
  CHECK(run.out.find("warning") != std::string::npos);
  CHECK(read_junit(bench).at("load", "read.iops >= 1000000").end == "passed");
  CHECK(Result(bench).phase("load").at("thresholds").at(0).at("outcome") == "fail");
}

TEST_CASE("a percentile of too few operations is inconclusive, not passed") {
  const Bench bench;
  const Finished run = bench.run(sim_job("thresholds: [read.latency.p99.9 <= 10s]"));
  INFO(run.out, run.err);
  CHECK(run.code == 5);
  const JunitEntry entry = read_junit(bench).at("load", "read.latency.p99.9 <= 10s");
  CHECK(entry.end == "failure");
  CHECK(entry.type == "Inconclusive");
  CHECK(entry.message.find("50") != std::string::npos);
  CHECK(entry.message.find("10000") != std::string::npos);
}

TEST_CASE("an engine that is not there is an error with reports that name those that are") {
  const Bench bench;
  const Finished run = bench.run(
      "diskproof: 1\nname: missing\ndisks: {v: {virtual: {size: 1GiB}}}\nphases:\n"
      "  - {name: load, disk: v, engine: simm, duration: 1s, thresholds: [read.iops >= 1]}\n");
  CHECK(run.code == 2);
  CHECK(schema_complaint(bench) == "");
  CHECK(joined(bench.leftovers()) == "");
  for (const std::string name : {"runs", "read.iops >= 1"}) {
    CAPTURE(name);
    const JunitEntry entry = read_junit(bench).at("load", name);
    CHECK(entry.end == "error");
    CHECK(entry.message.find("simm") != std::string::npos);
    CHECK(entry.message.find("did you mean sim?") != std::string::npos);
  }
  CHECK(Result(bench).outcome("load") == "error");
  CHECK_FALSE(Result(bench).has_metric("load", "read.iops"));
}

TEST_CASE("a job without thresholds passes, and says that nothing was gated") {
  const Bench bench;
  const Finished run = bench.run(sim_job("access: random"));
  CHECK(run.code == 0);
  CHECK(run.out.find("nothing_gated") != std::string::npos);
}

TEST_CASE("reports that cannot be written are an error before anything is measured") {
  const Bench bench;
  bench.folder().write("out", "a file where the folder should be");
  const Finished run = bench.run(sim_job("access: random"));
  CHECK(run.code == 2);
  CHECK(run.err.find(bench.path("out")) != std::string::npos);
  CHECK(bench.folder().read("out") == "a file where the folder should be");
}

}  // namespace diskproof::testing
