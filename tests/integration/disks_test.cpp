// Disks that the run makes itself: images attached as loop devices, formatted, mounted, throttled, and all of it gone
// afterwards, also when a step fails. As root; elsewhere skipped with the reason.
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>

#include "integration/loops.hpp"
#include "integration/reports.hpp"

namespace diskproof::testing {
namespace {

std::string loop_job(const std::string& disk_keys, const std::string& phase_keys = "operations: write") {
  return "diskproof: 1\nname: loops\ndisks: {d: {loop: {image: d.img, size: 64MiB}, fill: true" +
         (disk_keys.empty() ? "" : ", " + disk_keys) +
         "}}\n"
         "defaults: {engine: sync, block_size: 64KiB, operations_count: 100}\n"
         "phases: [{name: load, disk: d, size: 8MiB, " +
         phase_keys + ", thresholds: [total.operations == 100]}]\n";
}

}  // namespace

TEST_CASE("a loop disk is attached, written as it is or with a file system, and gone afterwards") {
  if (skipped_without_loops()) return;
  struct Row {
    const char* name;
    std::string disk, phase;
  };
  const Row rows[] = {
      {"raw", "", "operations: write"},
      {"raw, all of it", "prepare: [discard, wipe]", "operations: {read: 50%, write: 50%}"},
      {"raw, engines with depth", "", "engine: [io_uring, libaio], queue_depth: 8, operations: write"},
      {"ext4",
       "filesystem: {type: ext4, mkfs_args: [-m, \"0\"], mount_options: [discard], label: proof}, prepare: [fstrim, "
       "{owner: \"1:1\"}, {mode: \"0750\"}]",
       "operations: write, threads: 2"},
      {"throttled", "throttle: {write.iops: 5000}", "operations: write"},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.name));
    const Bench bench;
    const Finished run = bench.run(loop_job(row.disk, row.phase));
    INFO(run.out, run.err);
    CHECK(run.code == 0);
    CHECK(joined(left_in_system(bench, Result(bench).json().at("plan").at("run_id"))) == "");
    CHECK(joined(bench.leftovers()) == "");
    CHECK(schema_complaint(bench) == "");
  }
}

TEST_CASE("a kept image is used again without being written anew") {
  if (skipped_without_loops()) return;
  const Bench bench;
  const std::string job = loop_job("keep: true", "operations: read");
  REQUIRE(bench.run(job).code == 0);
  CHECK(joined(bench.leftovers()) == "work/d.img, work/d.img.diskproof");
  const Finished again = bench.run(job);
  INFO(again.out, again.err);
  CHECK(again.code == 0);
  CHECK(Result(bench).reason("layout/d").find("earlier run") != std::string::npos);
}

TEST_CASE("a step that fails is an error that names it and quotes the program, and everything is undone") {
  if (skipped_without_loops()) return;
  struct Row {
    const char* name;
    std::string disk, step, says;
  };
  const Row rows[] = {
      {"mkfs", "filesystem: {type: ext4, mkfs_args: [-b, \"77\"]}", "mkfs.ext4", "77"},
      {"mount", "filesystem: {type: ext4, mount_options: [nosuchoption]}", "mount", "nosuchoption"},
      {"scheduler", "prepare: [{scheduler: nosuch}]", "scheduler", "nosuch"},
      {"owner", "filesystem: {type: ext4}, prepare: [{owner: nosuchuser}]", "owner", "nosuchuser"},
      {"a size that does not fit", "filesystem: {type: xfs}", "mkfs.xfs", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.name));
    const Bench bench;
    const Finished run = bench.run(loop_job(row.disk));
    INFO(run.out, run.err);
    CHECK(run.code == 2);
    CHECK(joined(left_in_system(bench, Result(bench).json().at("plan").at("run_id"))) == "");
    CHECK(joined(bench.leftovers()) == "");
    const JunitEntry entry = read_junit(bench).at("preparation", "disk d: " + row.step);
    CHECK(entry.end == "error");
    CHECK(entry.message.find(row.says) != std::string::npos);
    CHECK(Result(bench).reason("load").find("could not be prepared") != std::string::npos);
  }
}

TEST_CASE("a file system that somebody uses is named, and cleanup finishes once it is free") {
  if (skipped_without_loops()) return;
  const Bench bench;
  const auto program = bench.start(
      "diskproof: 1\nname: busy\ndisks: {d: {loop: {image: d.img, size: 64MiB}, fill: true, filesystem: {type: "
      "ext4}}}\n"
      "phases: [{name: load, disk: d, size: 1MiB, engine: sync, operations: write, duration: 2s}]\n");
  REQUIRE(bench.wait_for(*program, R"("event":"tick","phase":"load")"));
  std::string file;
  for (const auto& entry : std::filesystem::directory_iterator(bench.path("state/diskproof"))) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("mount-")) file = entry.path().string() + "/t0.dat";
  }
  std::ifstream user(file);
  REQUIRE(user.is_open());
  const Finished run = bench.finish(*program);
  INFO(run.out, run.err);
  CHECK(run.code == 2);
  const std::string id = Result(bench).json().at("plan").at("run_id");
  CHECK(Result(bench).json().at("preparation").dump().find("end what uses it and run `diskproof cleanup`") !=
        std::string::npos);
  CHECK(bench.diskproof({"cleanup"}).code == 2);
  user.close();
  const Finished cleanup = bench.diskproof({"cleanup"});
  INFO(cleanup.out, cleanup.err);
  CHECK(cleanup.code == 0);
  CHECK(joined(left_in_system(bench, id)) == "");
  CHECK(joined(bench.leftovers()) == "");
}

TEST_CASE("a foreign image is refused, and its bytes stay") {
  if (skipped_without_loops()) return;
  const Bench bench;
  bench.folder().write("work/d.img", std::string(1 << 20, 'x'));
  const std::uint64_t before = content_hash(bench.file("d.img"));
  const Finished run = bench.run(loop_job(""));
  INFO(run.out, run.err);
  CHECK(run.code == 4);
  CHECK(content_hash(bench.file("d.img")) == before);
}

}  // namespace diskproof::testing
