// What was written is read back by the real program: in the same run, in a later one, and after the writer or the whole
// run was killed. Each class of fault on a disk that does wrong as it is told: tests/unit/exec/verify_process_test.
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <random>
#include <thread>

#include "integration/reports.hpp"

namespace diskproof::testing {
namespace {

namespace fs = std::filesystem;

bool is_long() { return std::getenv("DISKPROOF_LONG") != nullptr; }

std::string job(const std::string& disk, const std::string& defaults, const std::string& phases) {
  return fmt::format(
      "diskproof: 1\nname: verified\ndisks: {{d: {{{}}}}}\ndefaults: {{disk: d, direct: false, {}, findings: "
      "{{verify_limited: ignore, on_tmpfs: ignore}}}}\nphases:\n{}",
      disk, defaults, phases);
}

constexpr const char* kKept = "file: d.dat, fill: true, keep: true";
constexpr const char* kCheckLater = "  - {name: later, verify: {manifest: load.manifest}}\n";

// Checks the disk by the manifest that a run has left, and answers how that ended.
Finished check_later(const Bench& bench, const std::string& disk = kKept) {
  fs::copy_file(bench.path("out/load.manifest"), bench.path("load.manifest"), fs::copy_options::overwrite_existing);
  return bench.run(job(disk, "engine: sync", kCheckLater));
}

// Blocks of the file that carry a stamp at their beginning.
std::uint64_t stamped_blocks(const std::string& path, std::uint64_t block) {
  std::ifstream file(path, std::ios::binary);
  std::uint64_t count = 0;
  char start[8];
  for (std::uint64_t at = 0; file.seekg(static_cast<std::streamoff>(at)) && file.read(start, 8); at += block) {
    count += std::memcmp(start, "DRPSTAMP", 8) == 0 ? 1 : 0;
  }
  return count;
}

// The first one at or behind `from`.
std::uint64_t stamped_block_behind(const std::string& path, std::uint64_t from, std::uint64_t block) {
  std::ifstream file(path, std::ios::binary);
  char start[8];
  for (std::uint64_t at = from / block * block; file.seekg(static_cast<std::streamoff>(at)); at += block) {
    if (!file.read(start, 8)) break;
    if (std::memcmp(start, "DRPSTAMP", 8) == 0) return at;
  }
  FAIL("no stamped block");
  return 0;
}

void flip_bit(const std::string& path, std::uint64_t offset) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekg(static_cast<std::streamoff>(offset));
  const int byte = file.get();
  file.seekp(static_cast<std::streamoff>(offset));
  file.put(static_cast<char>(byte ^ 1));
  REQUIRE(file.good());
}

// The writer, the runner, or both at once, at some moment of the load; and what has to be done then.
enum class Killed { writer, runner, both };

void kill(Program& program, Killed which) {
  if (which != Killed::runner) {
    for (const int child : children_of(program.pid())) kill_process(child);
  }
  if (which != Killed::writer) program.signal(SIGKILL);
}

constexpr const char* kWriting = R"("event":"tick","phase":"load","kind":"measure")";

}  // namespace

TEST_CASE("verify: what is verified is what is on the disk, and a bit that changes between the phases is found") {
  constexpr std::uint64_t kBlock = 64 << 10;
  const Bench bench;
  const Finished run = bench.run(job(kKept, "engine: [io_uring, libaio, sync]",
                                     "  - {name: load, size: 512MiB, layout: none, access: random, operations: write, "
                                     "block_size: 64KiB, duration: 2s, verify: write}\n"
                                     "  - {name: check, verify: {of: load}}\n"));
  INFO(run.out, run.err);
  REQUIRE(run.code == 0);
  const std::uint64_t written = stamped_blocks(bench.file("d.dat"), kBlock) * kBlock;
  CHECK(written > 0);
  const Result result(bench);
  CHECK(result.metric("check", "verify.bytes") == static_cast<double>(written));
  CHECK(result.metric("check", "verify.expected") == static_cast<double>(written));
  CHECK(read_junit(bench).at("check", "verify.bytes == verify.expected").end == "passed");

  const std::uint64_t place = stamped_block_behind(bench.file("d.dat"), 100 << 20, kBlock);
  flip_bit(bench.file("d.dat"), place + 12'345);
  const Finished later = check_later(bench);
  INFO(later.out, later.err);
  CHECK(later.code == 1);
  const Result found(bench);
  CHECK(found.metric("later", "verify.corrupt") == kBlock);
  CHECK(found.metric("later", "verify.bytes") == static_cast<double>(written - kBlock));
  const Json& faults = found.phase("later").at("measured").at("verify").at("faults");
  REQUIRE(faults.size() == 1);
  CHECK(faults[0].at("kind") == "corrupt");
  CHECK(faults[0].at("offset") == place);
  CHECK(later.out.find(fmt::format("at byte {} of", place)) != std::string::npos);
  CHECK(read_junit(bench).at("later", "verify.bytes == verify.expected").end == "failure");
}

TEST_CASE("verify: a check never passes where nothing was written") {
  const Bench bench;
  const std::string all_fail = job("virtual: {size: 1MiB}", "engine: {name: sim, error_every: 1, error_on: write}",
                                   "  - {name: load, operations: write, operations_count: 10, max_errors: 100, "
                                   "verify: write}\n  - {name: check, verify: {of: load}}\n");
  const Finished run = bench.run(all_fail);
  INFO(run.out, run.err);
  CHECK(run.code == 2);
  CHECK(Result(bench).outcome("check") == "error");
  CHECK(Result(bench).reason("check").find("nothing was acknowledged as written") != std::string::npos);
}

TEST_CASE("verify: a run says when stamping and not the disk set the speed") {
  const auto limited = [](const std::string& engine, const std::string& load) {
    const Bench bench;
    const Finished run = bench.run(fmt::format(
        "diskproof: 1\nname: limited\ndisks: {{d: {{virtual: {{size: 16MiB}}}}}}\nphases:\n  - {{name: load, disk: d, "
        "engine: {}, operations: write, {}, verify: write}}\n",
        engine, load));
    INFO(run.out, run.err);
    REQUIRE(run.code == 0);
    return run.out.find("verify_limited") != std::string::npos;
  };
  CHECK(limited("\"null\"", "block_size: 64KiB, queue_depth: 8, operations_count: 20000"));
  CHECK_FALSE(limited("{name: sim, service_time: 5ms}", "block_size: 4KiB, operations_count: 50"));
}

TEST_CASE("verify: mixed random loads on a sound disk have no fault, through every engine") {
  const int seeds = is_long() ? 20 : 3;
  const std::string engines = Bench().diskproof({"engines"}).out;
  for (const std::string engine : {"sync", "libaio", "io_uring"}) {
    if (engines.find(engine) == std::string::npos) {
      MESSAGE("skipped: engine ", engine, " was not built");
      continue;
    }
    const Bench bench;
    const std::string depth = engine == "sync" ? "threads: 32, shared: true" : "queue_depth: 32";
    const std::string operations = engine == "libaio" ? "{read: 20%, write: 80%}" : "{read: 20%, write: 75%, trim: 5%}";
    for (int seed = 1; seed <= seeds; ++seed) {
      CAPTURE(engine);
      CAPTURE(seed);
      const Finished run = bench.run(
          job("file: d.dat, fill: true", "engine: " + engine,
              fmt::format("  - {{name: load, size: 64MiB, access: random, operations: {}, block_size: {{512B: 40%, "
                          "4KiB: 30%, 64KiB: 25%, 1MiB: 5%}}, {}, seed: {}, operations_count: 600, fsync: {{every: "
                          "15}}, verify: {{write: true, during: 10%}}}}\n"
                          "  - {{name: check, verify: {{of: load}}}}\n",
                          operations, depth, seed)));
      INFO(run.out, run.err);
      REQUIRE(run.code == 0);
      const Result result(bench);
      CHECK(result.metric("check", "verify.expected") > (4 << 20));
      CHECK(result.metric("load", "verify.operations") > 20);
      CHECK(joined(bench.leftovers()) == "out/load.manifest");
    }
  }
}

TEST_CASE("verify: a writer killed at any moment loses nothing that was acknowledged, nor does a killed runner") {
  struct Row {
    std::string name;
    Killed which;
    int times;
  };
  std::mt19937 random(20261201);
  for (const Row& row :
       {Row{"writer", Killed::writer, 3}, Row{"runner", Killed::runner, 1}, Row{"both", Killed::both, 1}}) {
    CAPTURE(row.name);
    for (int cycle = 0; cycle < (is_long() ? 20 : row.times); ++cycle) {
      CAPTURE(cycle);
      const Bench bench;
      const auto program =
          bench.start(job(kKept, "engine: [io_uring, libaio, sync]",
                          fmt::format("  - {{name: load, size: 32MiB, layout: none, access: random, operations: write, "
                                      "block_size: {{4KiB: 50%, 64KiB: 50%}}, queue_depth: 16, seed: {}, duration: "
                                      "60s, fsync: {{every: 100}}, verify: write}}\n",
                                      random())));
      REQUIRE(bench.wait_for(*program, kWriting));
      std::this_thread::sleep_for(std::chrono::milliseconds(std::uniform_int_distribution(0, 300)(random)));
      kill(*program, row.which);
      const Finished killed = bench.finish(*program);
      INFO(killed.out, killed.err);
      CHECK(killed.code == (row.which == Killed::writer ? 2 : 128 + SIGKILL));
      const Finished cleanup = bench.diskproof({"cleanup"});
      INFO(cleanup.out, cleanup.err);
      REQUIRE(cleanup.code == 0);
      const Finished later = check_later(bench);
      INFO(later.out, later.err);
      CHECK(later.code == 0);
      CHECK(Result(bench).metric("later", "verify.bytes") > (1 << 20));
    }
  }
}

}  // namespace diskproof::testing
