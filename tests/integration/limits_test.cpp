// Errors that are tolerated and errors that are not, timeouts, and what is held against a file system.
#include <doctest/doctest.h>
#include <filesystem>

#include "integration/ram_mount.hpp"
#include "integration/reports.hpp"

namespace diskproof::testing {
namespace {

std::string sim_job(const std::string& options, const std::string& phase_keys, const std::string& job_keys = "") {
  return "diskproof: 1\nname: limited\n" + job_keys +
         "disks: {v: {virtual: {size: 1GiB}}}\nphases:\n"
         "  - {name: load, disk: v, engine: {name: sim, service_time: 100us, " +
         options + "}, thresholds: [read.operations >= 1], " + phase_keys +
         "}\n"
         "  - {name: after, disk: v, engine: sim, operations_count: 5, thresholds: [read.operations == 5]}\n";
}

std::string file_job(const std::string& engine, const std::string& phase_keys) {
  return "diskproof: 1\nname: placed\ndisks: {d: {file: mounted/target.dat, fill: true}}\n"
         "phases: [{name: load, disk: d, size: 1MiB, operations_count: 16, thresholds: [read.operations == 16], "
         "engine: " +
         engine + ", " + phase_keys + "}]\n";
}

}  // namespace

TEST_CASE("errors up to max_errors are counted apart from what succeeded") {
  const Bench bench;
  const Finished run = bench.run(sim_job("error_every: 10", "operations_count: 1000, max_errors: 100, queue_depth: 4"));
  INFO(run.out, run.err);
  REQUIRE(run.code == 0);
  CHECK(schema_complaint(bench) == "");
  const Result result(bench);
  CHECK(result.metric("load", "read.operations") == 900);
  CHECK(result.metric("load", "read.errors") == 100);
  CHECK(result.metric("load", "read.bytes") == 900 * 4096);
  CHECK(result.phase("load").at("io_errors").at(0).at("offset") == 9 * 4096);
}

TEST_CASE("one error more than max_errors ends the phase, with the error in the reason") {
  const Bench bench;
  const Finished run =
      bench.run(sim_job("error_every: 10, error_code: enospc", "operations_count: 100000, max_errors: 5"));
  INFO(run.out, run.err);
  REQUIRE(run.code == 2);
  const JunitEntry entry = read_junit(bench).at("load", "runs");
  CHECK(entry.type == "IoError");
  CHECK(entry.message.find("6 I/O errors, 5 allowed by max_errors") != std::string::npos);
  CHECK(entry.message.find("No space left on device") != std::string::npos);
  const Result result(bench);
  CHECK(result.metric("load", "read.operations") < 1000);  // it ended there
  CHECK(result.outcome("after") == "pass");
}

TEST_CASE("a phase that takes longer than its timeout is an error, and the next one runs") {
  const Bench bench;
  const Finished run = bench.run(sim_job("read_iops: 100", "operations_count: 100000, timeout: 500ms"));
  INFO(run.out, run.err);
  REQUIRE(run.code == 2);
  CHECK(read_junit(bench).at("load", "runs").message.find("not done within its timeout of 0.5 s") != std::string::npos);
  const Result result(bench);
  CHECK(result.outcome("load") == "error");
  CHECK(result.outcome("after") == "pass");
  CHECK(joined(bench.leftovers()) == "");
}

TEST_CASE("a job that takes longer than its timeout ends, and every phase says why it was not run") {
  const Bench bench;
  const Finished run = bench.run(sim_job("read_iops: 100", "duration: 50s", "timeout: 500ms\n"));
  INFO(run.out, run.err);
  REQUIRE(run.code == 2);
  const Junit junit = read_junit(bench);
  for (const std::string phase : {"load", "after"}) {
    CAPTURE(phase);
    CHECK(junit.at(phase, "runs").end == "error");
    CHECK(junit.at(phase, "runs").message.find("the job's timeout passed") != std::string::npos);
  }
  CHECK(joined(bench.leftovers()) == "");
}

TEST_CASE("what a job has written is judged at the end of every phase, also where no interval told of it") {
  const Bench bench;
  const Finished run = bench.run(
      "diskproof: 1\nname: written\nmax_written: 1MiB\n"
      "disks: {v: {virtual: {size: 64MiB}, engine: {name: sim, service_time: 0ns}}}\n"
      "defaults: {disk: v, block_size: 64KiB, operations_count: 100, seed: 1, findings: {nothing_gated: ignore}}\n"
      "phases:\n"
      "  - {name: mixed, operations: {read: 50%, write: 50%}}\n"
      "  - {name: reads, operations: read}\n"
      "  - {name: more, operations: {read: 50%, write: 50%}}\n");
  INFO(run.out, run.err);
  REQUIRE(run.code == 2);
  const Result result(bench);
  CHECK(result.metric("mixed", "write.bytes") == 47 * 65536);  // of 100 operations, with this seed
  CHECK(result.reason("mixed") == "at its end the job had written 2.94 MiB, more than its max_written of 1 MiB");
  CHECK(result.outcome("reads") == "pass");
  CHECK(result.reason("more").starts_with("not run because the job has written "));
}

TEST_CASE("a phase that only writes is ended for what it writes long before its first interval is complete") {
  const Bench bench;
  const Finished run = bench.run(
      "diskproof: 1\nname: written\nmax_written: 1MiB\n"
      "disks: {v: {virtual: {size: 64MiB}, engine: {name: sim, write_bandwidth: 20MB/s}}}\n"
      "phases:\n"
      "  - {name: writes, disk: v, operations: write, block_size: 64KiB, sample: 60s, duration: 60s,\n"
      "     findings: {nothing_gated: ignore}}\n");
  INFO(run.out, run.err);
  REQUIRE(run.code == 2);
  const Result result(bench);
  CHECK(result.reason("writes").starts_with("ended because the job had written "));
  CHECK(result.metric("writes", "write.bytes") > (1 << 20));
  CHECK(result.metric("writes", "write.bytes") < 30 * 20e6);  // half of the interval
}

TEST_CASE("what is submitted in the warm-up of a counted phase is not measured, however long it takes") {
  const Bench bench;
  const Finished run =
      bench.run(sim_job("tail_at: 1, tail_time: 1s", "operations_count: 100, warmup: 700ms, queue_depth: 2"));
  INFO(run.out, run.err);
  REQUIRE(run.code == 0);
  const Result result(bench);
  CHECK(result.metric("load", "read.operations") == 100);
  CHECK(result.metric("load", "read.latency.max") < 1e9);
}

TEST_CASE("an error in the warm-up counts against max_errors but not in the measurement") {
  const Bench bench;
  const Finished run = bench.run(sim_job("error_every: 20", "operations_count: 10, warmup: 100ms, max_errors: 100000"));
  INFO(run.out, run.err);
  REQUIRE(run.code == 0);
  const Result result(bench);
  CHECK(result.metric("load", "read.operations") + result.metric("load", "read.errors") == 10);
  CHECK(result.metric("load", "read.errors") <= 1);
}

TEST_CASE("direct I/O where there is none is an error, not a silent use of the cache") {
  for (const std::string engine : {"sync", "libaio", "io_uring", "[io_uring, libaio, sync]"}) {
    CAPTURE(engine);
    const Bench bench;
    const RamMount mount("ramfs", bench.file("mounted"));
    if (!mount.fault().empty()) {
      MESSAGE("skipped: no ramfs: " << mount.fault());
      return;
    }
    const Finished run = bench.run(file_job(engine, "direct: true"));
    INFO(run.out, run.err);
    REQUIRE(run.code == 2);
    const Result result(bench);
    CHECK(result.outcome("load") == "error");
    CHECK_FALSE(result.has_metric("load", "read.iops"));
    CHECK(run.out.find("direct") != std::string::npos);
    CHECK(std::filesystem::is_empty(bench.file("mounted")));
  }
}

TEST_CASE("memory that pretends to be a disk is an error, unless the job says otherwise") {
  struct Row {
    const char* keys;
    int code;
    const char* outcome;
  };
  for (const Row& row : {Row{"direct: false", 2, "error"}, Row{"direct: false, findings: {on_tmpfs: warn}", 0, "pass"},
                         Row{"direct: false, findings: {on_tmpfs: ignore}", 0, "pass"}}) {
    CAPTURE(std::string(row.keys));
    const Bench bench;
    const RamMount mount("tmpfs", bench.file("mounted"));
    if (!mount.fault().empty()) {
      MESSAGE("skipped: no tmpfs: " << mount.fault());
      return;
    }
    const Finished run = bench.run(file_job("sync", row.keys));
    INFO(run.out, run.err);
    CHECK(run.code == row.code);
    const Result result(bench);
    CHECK(result.outcome("load") == row.outcome);
    const bool ignored = std::string(row.keys).find("ignore") != std::string::npos;
    CHECK((run.out.find("on_tmpfs") == std::string::npos) == ignored);
    if (row.code == 2) CHECK(read_junit(bench).at("load", "runs").type == "InvalidMeasurement");
    CHECK(std::filesystem::is_empty(bench.file("mounted")));
  }
}

}  // namespace diskproof::testing
