// Disks that fail under the run: each gives an error that names step or cause, in bounded time, and everything is
// undone, or, where I/O cannot be waited for, named and left to `cleanup`.
#include <chrono>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>

#include "beds/slow_disk.hpp"
#include "integration/loops.hpp"
#include "integration/reports.hpp"

namespace diskproof::testing {
namespace {

std::string loop_job(const std::string& image, const std::string& disk_keys, const std::string& phase) {
  return fmt::format(
      "diskproof: 1\nname: faults\ndisks: {{d: {{loop: {{image: {}, size: 64MiB}}, fill: true{}}}}}\n"
      "defaults: {{block_size: 4KiB, access: random, direct: true}}\nphases: [{{name: load, disk: d, {}}}]\n",
      image, disk_keys, phase);
}

bool skipped(const SlowDisk& disk) {
  if (disk.fault().empty()) return skipped_without_loops();
  MESSAGE("skipped: no slow disk, ", disk.fault());
  return true;
}

std::string run_id(const Bench& bench) { return Result(bench).json().at("plan").at("run_id"); }

std::string left(const Bench& bench, const SlowDisk& disk) {
  std::vector<std::string> all = bench.leftovers();
  for (const std::string& line : left_in_system(bench, run_id(bench), disk.path("d.img"))) all.push_back(line);
  std::error_code ignored;
  if (std::filesystem::exists(disk.path("d.img"), ignored)) all.emplace_back("the image");
  return joined(all);
}

constexpr const char* kReading = R"("event":"tick","phase":"load")";

}  // namespace

TEST_CASE("disk faults: a file system that is too small for the files names the write that failed") {
  if (skipped_without_loops()) return;
  const Bench bench;
  const Finished run = bench.run(
      loop_job("d.img", ", filesystem: {type: ext4}", "size: 63MiB, engine: sync, operations: write, duration: 1s"));
  INFO(run.out, run.err);
  CHECK(run.code == 2);
  CHECK(Result(bench).reason("layout/d").find("No space left on device") != std::string::npos);
  CHECK(joined(left_in_system(bench, run_id(bench))) == "");
  CHECK(joined(bench.leftovers()) == "");
}

TEST_CASE("disk faults: an I/O error below the file system is an error of the phase, and all is undone") {
  SlowDisk disk;
  if (skipped(disk)) return;
  for (const std::string keys : {"", ", filesystem: {type: ext4}"}) {
    CAPTURE(keys);
    const Bench bench;
    auto program = bench.start(
        loop_job(disk.path("d.img"), keys, "size: 16MiB, engine: [io_uring, libaio], queue_depth: 8, duration: 30s"));
    REQUIRE(bench.wait_for(*program, kReading));
    disk.set("error_every", 20);
    const Finished run = bench.finish(*program);
    disk.set("error_every", 0);
    INFO(run.out, run.err);
    CHECK(run.code == 2);
    CHECK(Result(bench).phase("load").at("io_errors").at(0).at("text").get<std::string>().find("eio") !=
          std::string::npos);
    CHECK(left(bench, disk) == "");
  }
}

TEST_CASE("disk faults: a disk that vanishes is an error, and what is on this machine is undone") {
  SlowDisk disk;
  if (skipped(disk)) return;
  const Bench bench;
  auto program = bench.start(loop_job(disk.path("d.img"), ", filesystem: {type: ext4}",
                                      "size: 16MiB, engine: [io_uring, libaio], queue_depth: 8, duration: 30s"));
  REQUIRE(bench.wait_for(*program, kReading));
  disk.vanish();
  const Finished run = bench.finish(*program);
  INFO(run.out, run.err);
  CHECK(run.code == 2);
  CHECK(Result(bench).outcome("load") == "error");
  CHECK(joined(left_in_system(bench, run_id(bench), disk.path("d.img"))) == "");
  // The image is out of reach: that stays to be done.
  const Finished cleanup = bench.diskproof({"cleanup"});
  INFO(cleanup.out, cleanup.err);
  CHECK(cleanup.code == 2);
  CHECK(cleanup.err.find("d.img") != std::string::npos);
}

TEST_CASE("disk faults: a disk that stands still is told within io_timeout, and cleanup finishes once it goes on") {
  SlowDisk disk;
  if (skipped(disk)) return;
  const Bench bench;
  auto program = bench.start(loop_job(disk.path("d.img"), ", filesystem: {type: ext4}",
                                      "size: 16MiB, engine: libaio, queue_depth: 8, duration: 60s, io_timeout: 1s"));
  REQUIRE(bench.wait_for(*program, kReading));
  disk.set("stall", 1);
  const Finished run = bench.finish(*program);
  INFO(run.out, run.err);
  CHECK(run.code == 2);
  CHECK(Result(bench).reason("load").find("io_timeout 1.0 s") != std::string::npos);
  const std::string steps = Result(bench).json().at("preparation").dump(1);
  CAPTURE(steps);
  CHECK(steps.find("finish with `diskproof cleanup`") != std::string::npos);
  disk.set("stall", 0);
  const Finished cleanup = bench.diskproof({"cleanup"});
  INFO(cleanup.out, cleanup.err);
  CHECK(cleanup.code == 0);
  CHECK(left(bench, disk) == "");
}

}  // namespace diskproof::testing
