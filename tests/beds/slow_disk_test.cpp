// What the runner measures on a disk whose limit, latency and faults are known: the disk paces each request evenly, so
// limit and latency are exact, by Little's law too.
#include "beds/slow_disk.hpp"

#include <chrono>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <thread>

#include "integration/reports.hpp"

namespace diskproof::testing {
namespace {

std::string job(const SlowDisk& disk, const std::string& defaults, const std::string& phases) {
  return fmt::format(
      "diskproof: 1\nname: bed\ndisks: {{d: {{file: {}, fill: true}}}}\n"
      "defaults: {{disk: d, size: 16MiB, block_size: 4KiB, access: random, queue_depth: 32, {}}}\n"
      "phases:\n{}",
      disk.path("target.dat"), defaults, phases);
}

bool skipped(const SlowDisk& disk) {
  if (disk.fault().empty()) return false;
  MESSAGE("skipped: no slow disk, ", disk.fault());
  return true;
}

}  // namespace

TEST_CASE("slow disk: limits are measured within 1 percent, latencies within 5, through every engine") {
  const SlowDisk disk({{"read_iops", 3000}, {"write_iops", 1500}});
  if (skipped(disk)) return;
  for (const std::string engine : {"io_uring", "libaio"}) {
    CAPTURE(engine);
    const Bench bench;
    const Finished run = bench.run(job(disk, "engine: " + engine + ", direct: true, warmup: 500ms, duration: 5s",
                                       "  - {name: writes, operations: write}\n  - {name: reads, operations: read}\n"));
    INFO(run.out, run.err);
    REQUIRE(run.code == 0);
    const Result result(bench);
    struct Row {
      std::string phase, direction;
      double iops;
    };
    for (const Row& row : {Row{"writes", "write", 1500}, Row{"reads", "read", 3000}}) {
      CAPTURE(row.phase);
      CHECK(result.metric(row.phase, row.direction + ".iops") == doctest::Approx(row.iops).epsilon(0.01));
      const double in_flight_ns = 32 / row.iops * 1e9;
      CHECK(result.metric(row.phase, row.direction + ".latency.p50") == doctest::Approx(in_flight_ns).epsilon(0.05));
    }
    CHECK(joined(bench.leftovers()) == "");
  }
}

TEST_CASE("slow disk: a threshold 5 percent below the limit holds, one 5 percent above does not") {
  const SlowDisk disk({{"read_iops", 2000}});
  if (skipped(disk)) return;
  const Bench bench;
  const Finished run = bench.run(job(disk, "engine: [io_uring, libaio], direct: true, duration: 2s, warmup: 500ms",
                                     "  - {name: reads, limits: {read.iops: 2000}, thresholds: "
                                     "[read.iops >= 95% of limit, read.iops >= 105% of limit]}\n"));
  INFO(run.out, run.err);
  CHECK(run.code == 1);
  const Result result(bench);
  CHECK(result.phase("reads").at("thresholds").at(0).at("outcome") == "pass");
  CHECK(result.phase("reads").at("thresholds").at(1).at("outcome") == "fail");
}

TEST_CASE("slow disk: an I/O error is told with its offset, and the run is an error") {
  SlowDisk disk;
  if (skipped(disk)) return;
  const Bench bench;
  auto program =
      bench.start(job(disk, "engine: [io_uring, libaio], direct: true, duration: 30s", "  - {name: reads}\n"));
  REQUIRE(bench.wait_for(*program, R"("event":"tick","phase":"reads")"));
  disk.set("error_every", 10);
  const Finished run = bench.finish(*program);
  INFO(run.out, run.err);
  CHECK(run.code == 2);
  const Result result(bench);
  CHECK(result.outcome("reads") == "error");
  CHECK(result.phase("reads").at("io_errors").at(0).at("text").get<std::string>().find("eio") != std::string::npos);
  disk.set("error_every", 0);
  CHECK(joined(bench.leftovers()) == "");
}

TEST_CASE("slow disk: one that stands still is told after io_timeout, and the run ends") {
  SlowDisk disk({{"read_iops", 1000}});
  if (skipped(disk)) return;
  const Bench bench;
  auto program =
      bench.start(job(disk, "engine: libaio, direct: true, duration: 60s, io_timeout: 1s", "  - {name: reads}\n"));
  REQUIRE(bench.wait_for(*program, R"("event":"tick","phase":"reads")"));
  disk.set("stall", 1);
  // The reports are written while the disk stands still; the process that waits for it ends when it goes on.
  std::this_thread::sleep_for(std::chrono::seconds(5));
  disk.set("stall", 0);
  const Finished run = bench.finish(*program);
  INFO(run.out, run.err);
  CHECK(run.code == 2);
  const Result result(bench);
  CHECK(result.outcome("reads") == "error");
  CHECK(result.reason("reads").find("io_timeout 1.0 s") != std::string::npos);
}

}  // namespace diskproof::testing
