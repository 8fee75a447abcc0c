// Phases that run several times, on the real program: every run is kept, and what they come to is judged.
#include <doctest/doctest.h>
#include <set>

#include "integration/reports.hpp"

namespace diskproof::testing {
namespace {

std::string example(const std::string& name) { return DISKPROOF_SOURCE_DIR "/jobs/examples/" + name; }

}  // namespace

TEST_CASE("a repeated phase is laid out once, and every run has its own seed and numbers") {
  const Bench bench;
  const Finished run = bench.run(R"(
diskproof: 1
name: repeats
disks: {here: {file: "${out}/small.dat", fill: true}}
phases:
  - {name: reads, disk: here, size: 4MiB, engine: sync, direct: false, access: random, operations_count: 100, seed: 5,
     findings: {on_tmpfs: ignore}, repeat: {count: 3, discard: 1, interval: 10ms},
     thresholds: [read.operations == 100, merged.read.operations == 200]}
)");
  INFO(run.out, run.err);
  REQUIRE(run.code == 0);
  CHECK(schema_complaint(bench) == "");
  CHECK(joined(bench.leftovers()) == "");
  CHECK(joined(read_junit(bench).suites) == "preparation, layout/here, reads");
  const Result result(bench);
  const Json& runs = result.phase("reads").at("runs");
  REQUIRE(runs.size() == 3);
  std::set<std::uint64_t> seeds;
  for (const Json& one : runs) {
    seeds.insert(one.at("seed").get<std::uint64_t>());
    CHECK(one.at("metrics").at("read.operations") == 100);
  }
  CHECK(seeds.size() == 3);
  CHECK(seeds.contains(5));
  CHECK(runs.at(0).at("discarded") == true);
  CHECK_FALSE(runs.at(1).contains("discarded"));
  CHECK(result.phase("reads").at("measured").at("directions").at("read").at("operations") == 200);
  CHECK(run.out.find("median of 2   reads: read.iops") != std::string::npos);
}

TEST_CASE("a run in which too much fails ends the phase") {
  const Bench bench;
  const Finished run = bench.run(R"(
diskproof: 1
name: failing
disks: {v: {virtual: {size: 1GiB}, engine: {name: sim, service_time: 0ns, error_every: 2}}}
phases:
  - {name: bad, disk: v, operations_count: 100, repeat: {count: 3}, thresholds: [read.iops >= 1]}
  - {name: good, disk: v, operations_count: 100, repeat: {count: 3}, max_errors: 100, thresholds: [read.operations == 50]}
)");
  INFO(run.out, run.err);
  CHECK(run.code == 2);
  const Result result(bench);
  CHECK(result.reason("bad").starts_with("run 1 of 3: "));
  CHECK(result.phase("bad").at("runs").size() == 1);
  CHECK(result.outcome("good") == "pass");
  CHECK(result.phase("good").at("runs").size() == 3);
}

TEST_CASE("the example of repeated runs passes") {
  const Bench bench;
  const Finished run = bench.diskproof({"run", example("repeated-runs.yaml"), "--out", bench.path("out")});
  INFO(run.out, run.err);
  CHECK(run.code == 0);
  CHECK(schema_complaint(bench) == "");
  CHECK(Result(bench).phase("random_reads").at("runs").size() == 5);
  CHECK(Result(bench).metric("random_reads", "merged.read.operations") == 16'000);
}

}  // namespace diskproof::testing
