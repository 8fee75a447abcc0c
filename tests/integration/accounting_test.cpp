// Every operation is counted once, in the direction, the interval and the histogram where it belongs, and goes where
// the job says. All numbers are exact.
#include <array>
#include <cstring>
#include <doctest/doctest.h>
#include <fstream>
#include <set>

#include "integration/reports.hpp"

namespace diskproof::testing {
namespace {

std::string sim_job(const std::string& phase_keys) {
  return "diskproof: 1\nname: counted\ndisks: {v: {virtual: {size: 1GiB}}}\n"
         "phases: [{name: load, disk: v, engine: {name: sim, service_time: 100us}, sample: 10ms, "
         "thresholds: [total.errors == 0], " +
         phase_keys + "}]\n";
}

std::string file_job(const std::string& phase_keys) {
  return "diskproof: 1\nname: counted\ndisks: {d: {file: target.dat, fill: true, keep: true}}\n"
         "phases: [{name: load, disk: d, engine: sync, direct: false, sample: 10ms, findings: {on_tmpfs: ignore}, "
         "thresholds: [total.errors == 0], " +
         phase_keys + "}]\n";
}

// Which 4 KiB blocks of the file hold, in each sector, the stamp of that sector's own place.
std::set<std::uint64_t> stamped_blocks(const std::string& path) {
  constexpr std::size_t kBlock = 4096, kSector = 512;
  std::ifstream file(path, std::ios::binary);
  std::set<std::uint64_t> stamped;
  std::array<char, kBlock> block{};
  for (std::uint64_t index = 0; file.read(block.data(), kBlock); ++index) {
    bool whole = true;
    for (std::size_t at = 0; at < kBlock; at += kSector) {
      std::uint64_t offset = 0;
      std::memcpy(&offset, block.data() + at, sizeof offset);
      whole = whole && offset == index * kBlock + at;
    }
    if (whole) stamped.insert(index);
  }
  return stamped;
}

}  // namespace

TEST_CASE("two threads share a count exactly, on the simulated disk and on a file") {
  struct Row {
    const char* name;
    std::string job;
  };
  const std::string keys = "threads: 2, operations_count: 1001, access: random, ";
  for (const Row& row : {Row{"sim", sim_job(keys + "queue_depth: 4, operations: read")},
                         Row{"sim with warm-up", sim_job(keys + "queue_depth: 4, warmup: 100ms")},
                         Row{"sync", file_job(keys + "size: 4MiB, operations: write")}}) {
    CAPTURE(std::string(row.name));
    const Bench bench;
    const Finished run = bench.run(row.job);
    INFO(run.out, run.err);
    REQUIRE(run.code == 0);
    const Result result(bench);
    const std::string direction = std::string(row.name) == "sync" ? "write" : "read";
    CHECK(check_books(result.phase("load"), direction, 4096) == 1001);
    CHECK(result.metric("load", "total.operations") == 1001);
    CHECK(result.metric("load", "drain.operations") == 0);
  }
}

TEST_CASE("the directions of a mix add up to the count, near their shares") {
  struct Row {
    const char* name;
    std::string job;
  };
  const std::string keys = "operations: {read: 70%, write: 30%}, access: random, threads: 2, operations_count: 10000, ";
  for (const Row& row : {Row{"sim", sim_job(keys + "queue_depth: 16")}, Row{"sync", file_job(keys + "size: 4MiB")}}) {
    CAPTURE(std::string(row.name));
    const Bench bench;
    const Finished run = bench.run(row.job);
    INFO(run.out, run.err);
    REQUIRE(run.code == 0);
    const Result result(bench);
    const Json& phase = result.phase("load");
    const auto reads = check_books(phase, "read", 4096), writes = check_books(phase, "write", 4096);
    CHECK(reads + writes == 10000);
    CHECK(result.metric("load", "total.operations") == 10000);
    // Six standard deviations of a binomial draw.
    CHECK(reads > 6725);
    CHECK(reads < 7275);
  }
}

TEST_CASE("a phase that stops after so many bytes moves exactly these") {
  const Bench bench;
  REQUIRE(bench.run(sim_job("bytes: 3MiB, block_size: 64KiB, threads: 2, queue_depth: 2")).code == 0);
  const Result result(bench);
  CHECK(check_books(result.phase("load"), "read", 65536) == 48);
  CHECK(result.metric("load", "read.bytes") == 3 << 20);
}

TEST_CASE("a duration phase balances its books and keeps the warm-up apart") {
  const Bench bench;
  REQUIRE(bench.run(sim_job("duration: 500ms, warmup: 500ms, threads: 2, queue_depth: 4")).code == 0);
  const Result result(bench);
  const Json& phase = result.phase("load");
  const std::uint64_t operations = check_books(phase, "read", 4096);
  CHECK(operations > 0);
  // From ticks of the clock, so to a few ns.
  CHECK(phase.at("measured").at("window_begin").get<double>() == doctest::Approx(500e6).epsilon(1e-7));
  CHECK(phase.at("measured").at("window_end").get<double>() == doctest::Approx(1e9).epsilon(1e-7));
  CHECK(sum(phase.at("intervals").at("duration")) == 500'000'000);
  const std::uint64_t warm = sum(phase.at("warmup_intervals").at("read").at("operations"));
  CHECK(warm > 0);
  CHECK(result.metric("load", "read.iops") == doctest::Approx(static_cast<double>(operations) / 0.5).epsilon(1e-6));
}

TEST_CASE("the layout writes the whole file, a last part block included") {
  const Bench bench;
  const Finished run = bench.run(file_job("size: 2052KiB, operations_count: 1, operations: read"));
  INFO(run.out, run.err);
  REQUIRE(run.code == 0);
  CHECK(std::filesystem::file_size(bench.file("target.dat")) == 2052 << 10);
  CHECK(stamped_blocks(bench.file("target.dat")).size() == 513);
}

TEST_CASE("a write phase covers its region, every block of it and nothing else") {
  struct Row {
    const char* name;
    const char* keys;
  };
  for (const Row& row : {Row{"sequential", "access: sequential, threads: 1"},
                         Row{"sequential, two threads", "access: sequential, threads: 2"},
                         Row{"random, three threads", "access: random, threads: 3"}}) {
    CAPTURE(std::string(row.name));
    const Bench bench;
    // Layout `allocated`: only the phase itself stamps. 256 blocks from block 64 on, each once.
    const Finished run = bench.run(file_job(
        std::string(
            "size: 4MiB, layout: allocated, region: {from: 256KiB, size: 1MiB}, operations: write, bytes: 1MiB, ") +
        row.keys));
    INFO(run.out, run.err);
    REQUIRE(run.code == 0);
    const std::set<std::uint64_t> stamped = stamped_blocks(bench.file("target.dat"));
    CHECK(stamped.size() == 256);
    CHECK(*stamped.begin() == 64);
    CHECK(*stamped.rbegin() == 319);
  }
}

TEST_CASE("each thread of a directory has a file of its own") {
  const Bench bench;
  const std::string job =
      "diskproof: 1\nname: files\ndisks: {d: {directory: ., keep: true, fill: true}}\n"
      "phases: [{name: load, disk: d, engine: sync, direct: false, size: 1MiB, threads: 3, operations: write, "
      "operations_count: 768, findings: {on_tmpfs: ignore}, thresholds: [write.operations == 768]}]\n";
  const Finished run = bench.run(job);
  INFO(run.out, run.err);
  REQUIRE(run.code == 0);
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(bench.path("work"))) {
    if (!entry.is_regular_file() || entry.file_size() != 1 << 20) continue;
    ++files;
    CHECK(stamped_blocks(entry.path().string()).size() == 256);
  }
  CHECK(files == 3);
}

}  // namespace diskproof::testing
