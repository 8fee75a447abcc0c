// The ends of every axis, one axis at a time: what is asked for is done, counted exactly, and the books balance
// (findings that say otherwise are errors). With the address sanitizer these look for what writes beyond its end.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "integration/reports.hpp"

namespace diskproof::testing {
namespace {

constexpr std::uint64_t kKiB = 1024, kMiB = 1024 * kKiB;

struct Load {
  std::string engine;
  std::uint64_t block = 4096, depth = 1, threads = 1, operations = 1;
  std::string keys = "access: random";
};

// One phase per load, named after what is different about it; file engines share one file.
std::string job_of(const std::vector<Load>& loads, const std::string& capacity, const std::string& file_size) {
  std::string text = fmt::format(
      "diskproof: 1\nname: extremes\nmemory_limit: 2GiB\ndefaults: {{direct: false, findings: {{on_tmpfs: ignore}}}}\n"
      "disks: {{v: {{virtual: {{size: {}}}}}, f: {{file: target.dat, fill: true}}}}\nphases:\n",
      capacity);
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const Load& load = loads[i];
    const bool on_virtual = load.engine == "null" || load.engine == "sim";
    text += fmt::format(
        "  - {{name: p{}, disk: {}, engine: \"{}\", block_size: {}B, queue_depth: {}, threads: {}, operations_count: "
        "{}, "
        "{}, thresholds: [total.errors == 0]}}\n",
        i, on_virtual ? "v" : "f, size: " + file_size, load.engine, load.block, load.depth, load.threads,
        load.operations, load.keys);
  }
  return text;
}

void run_all(const std::vector<Load>& loads, const std::string& capacity, const std::string& file_size) {
  const Bench bench;
  const Finished run = bench.run(job_of(loads, capacity, file_size));
  INFO(run.out, run.err);
  REQUIRE(run.code == 0);
  const Result result(bench);
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const Load& load = loads[i];
    CAPTURE(load.engine);
    CAPTURE(load.block);
    const Json& phase = result.phase(fmt::format("p{}", i));
    CHECK(phase.at("outcome") == "pass");
    const bool writes = load.keys.find("operations: write") != std::string::npos;
    CHECK(check_books(phase, writes ? "write" : "read", load.block) == load.operations);
  }
  CHECK(joined(bench.leftovers()) == "");
}

}  // namespace

TEST_CASE("extremes: 256 operations in flight") {
  std::vector<Load> loads;
  for (const char* engine : {"null", "sim", "libaio", "io_uring"}) {
    loads.push_back({.engine = engine, .depth = 256, .operations = 2561});
    loads.push_back({.engine = engine, .depth = 256, .operations = 100, .keys = "operations: write"});  // never full
  }
  run_all(loads, "1GiB", "4MiB");
}

TEST_CASE("extremes: 16 threads with 32 operations in flight each") {
  std::vector<Load> loads;
  for (const char* engine : {"null", "sim", "libaio", "io_uring"}) {
    loads.push_back({.engine = engine, .depth = 32, .threads = 16, .operations = 5003});
  }
  loads.push_back({.engine = "sync", .threads = 16, .operations = 1003, .keys = "access: random, operations: write"});
  run_all(loads, "1GiB", "4MiB");
}

TEST_CASE("extremes: blocks from 512 B to 64 MiB in powers of two") {
  std::vector<Load> loads;
  for (const std::uint64_t block :
       {std::uint64_t{512}, kKiB, 2 * kKiB, 4 * kKiB, 64 * kKiB, kMiB, 16 * kMiB, 32 * kMiB, 64 * kMiB}) {
    loads.push_back({.engine = "io_uring", .block = block, .operations = block < kMiB ? 7U : 1U});
  }
  loads.push_back({.engine = "sync", .block = 64 * kMiB});
  loads.push_back({.engine = "null", .block = 64 * kMiB});
  run_all(loads, "1GiB", "64MiB");
}

TEST_CASE("extremes: blocks of odd multiples of a sector") {
  std::vector<Load> loads;
  for (const char* engine : {"null", "sim", "sync", "libaio", "io_uring"}) {
    for (const std::uint64_t sectors : {3, 129}) {
      loads.push_back({.engine = engine, .block = sectors * 512, .operations = 7, .keys = "operations: write"});
    }
    loads.push_back({.engine = engine, .block = 33 * kMiB + 512, .keys = "operations: write"});
  }
  run_all(loads, "1GiB", "34MiB");
}

TEST_CASE("extremes: a virtual disk of 4 TiB") {
  std::vector<Load> loads;
  for (const char* engine : {"null", "sim"}) {
    loads.push_back({.engine = engine, .depth = 8, .operations = 1001});
    loads.push_back({.engine = engine, .block = 512, .depth = 8, .threads = 3, .operations = 1001});
    loads.push_back({.engine = engine, .block = kMiB, .operations = 5, .keys = "region: {from: 99.99%}"});
  }
  run_all(loads, "4TiB", "4KiB");
}

TEST_CASE("extremes: buffers beyond the memory limit are refused before anything is made") {
  const Bench bench;
  const std::string job =
      "diskproof: 1\nname: big\nmemory_limit: 1GiB\ndisks: {f: {file: target.dat, fill: true}}\nphases:\n"
      "  - {name: load, disk: f, size: 2GiB, engine: sync, threads: 16, block_size: 65MiB, operations_count: 1}\n";
  bench.folder().write("job.yaml", job);
  for (const Finished& end : {bench.diskproof({"plan", bench.path("job.yaml")}), bench.run(job)}) {
    INFO(end.out, end.err);
    CHECK(end.code == 2);
    const std::string said = end.out + end.err;
    CHECK(said.find("16 threads x queue_depth 1 x 65 MiB need 1.02 GiB of buffers") != std::string::npos);
    CHECK(said.find("the memory_limit of 1 GiB") != std::string::npos);
  }
  CHECK(joined(bench.leftovers()) == "");
}

}  // namespace diskproof::testing
