// Disks that fail under the run: each gives an error that names step or cause, in bounded time, and everything is
// undone, or, where I/O cannot be waited for, named and left to `cleanup`.
#include <chrono>
#include <csignal>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <thread>

#include "beds/loop_disk.hpp"
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

// A loop device on an image of the slow disk, which no job prepares.
struct SlowDevice {
  explicit SlowDevice(const SlowDisk& disk) : loop(1 << 20) {
    std::ofstream(disk.path("device.img")) << "";
    std::filesystem::resize_file(disk.path("device.img"), 64 << 20);
    loop.attach_anew(disk.path("device.img"));
  }
  LoopDisk loop;
};

std::string device_job(const std::string& device, const std::string& more) {
  return fmt::format(
      "diskproof: 1\nname: faults\ndisks: {{d: {{device: {}, destroy: true, filesystem: {{type: ext4}}}}}}\n{}"
      "phases: [{{name: load, disk: d, size: 1MiB, engine: sync, operations: write, operations_count: 1}}]\n",
      device, more);
}

std::unique_ptr<Program> start(const Bench& bench, const std::string& name, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), DISKPROOF_BINARY);
  return std::make_unique<Program>(Launch{std::move(arguments),
                                          {{"XDG_STATE_HOME", bench.path("state")}},
                                          bench.path("work"),
                                          bench.path(name + ".out"),
                                          bench.path(name + ".err")});
}

// Until a program of this name runs for the other one.
bool wait_for_child(Program& program, const std::string& name) {
  while (program.running()) {
    for (const int child : children_of(program.pid())) {
      std::ifstream comm("/proc/" + std::to_string(child) + "/comm");
      std::string found;
      if (std::getline(comm, found) && found == name) return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
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
                                      "size: 16MiB, engine: libaio, queue_depth: 8, duration: 60s, io_timeout: 5s"));
  REQUIRE(bench.wait_for(*program, kReading));
  disk.set("stall", 1);
  const Finished run = bench.finish(*program);
  INFO(run.out, run.err);
  CHECK(run.code == 2);
  CHECK(Result(bench).reason("load").find("io_timeout 5") != std::string::npos);
  const std::string steps = Result(bench).json().at("preparation").dump(1);
  CAPTURE(steps);
  CHECK(steps.find("finish with `diskproof cleanup`") != std::string::npos);
  disk.set("stall", 0);
  const Finished cleanup = bench.diskproof({"cleanup"});
  INFO(cleanup.out, cleanup.err);
  CHECK(cleanup.code == 0);
  CHECK(left(bench, disk) == "");
}

TEST_CASE("disk faults: a device that does not answer is shown as such, and refused, in bounded time") {
  SlowDisk disk;
  if (skipped(disk)) return;
  const SlowDevice device(disk);
  REQUIRE(device.loop.fault() == "");
  const Bench bench;
  const std::string job = bench.folder().write("job.yaml", device_job(device.loop.device(), ""));
  disk.set("stall", 1);
  const auto list = start(bench, "devices", {"devices", "--json"});
  const auto plan = start(bench, "plan", {"plan", job, "--allow-destroy", "d"});
  const auto run = start(bench, "run", {"run", job, "--out", bench.path("out"), "--quiet", "--allow-destroy", "d"});
  const Finished listed = bench.finish(*list), planned = bench.finish(*plan), ran = bench.finish(*run);
  disk.set("stall", 0);
  INFO(listed.err, planned.err, ran.err);
  CHECK(listed.code == 0);
  CHECK(planned.code == 4);
  CHECK(ran.code == 4);
  const std::string why = "what " + device.loop.device() + " holds cannot be read: it did not answer within 10 s";
  for (const std::string& said : {listed.out, planned.err, ran.err}) CHECK(said.find(why) != std::string::npos);
  CHECK(read_junit(bench).at("preparation", "disk d").message.find(why) != std::string::npos);
  CHECK(bench.diskproof({"devices"}).out.find("did not answer") == std::string::npos);
}

TEST_CASE("disk faults: a disk that does not take what waits in the page cache is an error of the run") {
  SlowDisk disk;
  if (skipped(disk)) return;
  const SlowDevice device(disk);
  REQUIRE(device.loop.fault() == "");
  const Bench bench;
  const std::string job =
      bench.folder().write("job.yaml", "diskproof: 1\nname: faults\ndisks: {d: {device: " + device.loop.device() +
                                           ", destroy: true}}\nphases: [{name: load, disk: d, size: 4MiB, engine: "
                                           "sync, direct: false, operations: write, "
                                           "duration: 2s, think_time: 1ms}]\n");
  const auto run = start(bench, "run", {"run", job, "--out", bench.path("out"), "--json", "--allow-destroy", "d"});
  REQUIRE(bench.wait_for(*run, kReading));
  disk.set("stall", 1);
  const Finished finished = bench.finish(*run, std::chrono::seconds(120));
  disk.set("stall", 0);
  INFO(finished.out, finished.err);
  CHECK(finished.code == 2);
  const Json steps = Result(bench).json().at("preparation");
  CAPTURE(steps.dump(1));
  CHECK(steps.back().at("name") == "close d");
  CHECK(steps.back().at("reason").get<std::string>().find("through the page cache within 30 s") != std::string::npos);
}

TEST_CASE("disk faults: mkfs on a disk that stands still is given up, and cleanup finishes once it goes on") {
  SlowDisk disk;
  if (skipped(disk)) return;
  disk.set("latency_us", 50'000);  // so that mkfs can be met
  const Bench bench;
  auto program = bench.start(
      loop_job(disk.path("d.img"), ", filesystem: {type: ext4}", "size: 1MiB, engine: sync, operations_count: 1") +
      "timeout: 5s\n");
  REQUIRE(wait_for_child(*program, "mkfs.ext4"));
  disk.set("stall", 1);
  const Finished run = bench.finish(*program, std::chrono::seconds(120));
  INFO(run.out, run.err);
  CHECK(run.code == 2);
  const JunitEntry mkfs = read_junit(bench).at("preparation", "disk d: mkfs.ext4");
  CHECK(mkfs.end == "error");
  CAPTURE(mkfs.message);
  CHECK(mkfs.message.find("was stopped") != std::string::npos);
  disk.set("stall", 0);
  disk.set("latency_us", 0);
  std::this_thread::sleep_for(std::chrono::seconds(1));  // for what mkfs wrote
  const Finished cleanup = bench.diskproof({"cleanup"});
  INFO(cleanup.out, cleanup.err);
  CHECK(cleanup.code == 0);
  CHECK(left(bench, disk) == "");
}

TEST_CASE("disk faults: what lies on a file system that is dead, or takes no write, is named in bounded time") {
  SlowDisk disk;
  if (skipped(disk)) return;
  struct Row {
    const char *name, *setting;
    std::string disk_keys, out, state, says;
    bool reports;
  };
  const std::string place = disk.path("d"), good = "file: d.dat";
  std::filesystem::create_directory(place);
  const Row rows[] = {
      {"reports", "dead", good, place + "/out", "", "--out " + place + "/out: its file system does not answer", false},
      {"reports that are not taken", "stall", good, place, "", "--out " + place + ": its file system does not take",
       false},
      {"journals", "dead", good, "", place, "the state folder " + place + "/diskproof: its file", true},
      {"journals that are not taken", "stall", good, "", place, "does not take a write within 10 s", true},
      {"a file", "dead", "file: " + place + "/f", "", "", "disk d: " + place + "/f: its file system does not", true},
      {"a file that is not taken", "stall", "file: " + place + "/f", "", "", "does not take a write within 10 s", true},
      {"a folder", "dead", "directory: " + place, "", "", "disk d: " + place + ": its file system does not", true},
      {"an image", "dead", "loop: {image: " + place + "/i, size: 8MiB}", "", "", place + "/i: its file system", true},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.name));
    const Bench bench;
    const std::string job = bench.folder().write(
        "job.yaml", "diskproof: 1\nname: dead\ndisks: {d: {" + row.disk_keys +
                        ", fill: true}}\nphases: [{name: load, disk: d, size: 1MiB, engine: sync, direct: false, "
                        "operations: write, operations_count: 4}]\n");
    const std::string out = row.out.empty() ? bench.path("out") : row.out;
    disk.set(row.setting, 1);
    Program program(Launch{{DISKPROOF_BINARY, "run", job, "--out", out, "--quiet"},
                           {{"XDG_STATE_HOME", row.state.empty() ? bench.path("state") : row.state}},
                           bench.path("work"),
                           bench.path("stdout"),
                           bench.path("stderr")});
    const Finished run = bench.finish(program);
    disk.set(row.setting, 0);
    const std::string said = bench.folder().read("stderr");
    INFO(said);
    CHECK(run.code == 2);
    CHECK(said.find(row.says) != std::string::npos);
    CHECK(std::filesystem::exists(bench.path("out/junit.xml")) == row.reports);
    if (row.reports) CHECK(read_junit(bench).at("load", "runs").end == "error");
  }
}

TEST_CASE("disk faults: cleanup names what it cannot reach in bounded time, and finishes once it can") {
  SlowDisk disk;
  if (skipped(disk)) return;
  const Bench bench;
  const auto program =
      bench.start("diskproof: 1\nname: dead\ndisks: {d: {directory: " + disk.path("") +
                  ", fill: true}}\nphases: [{name: load, disk: d, size: 1MiB, threads: 4, engine: sync, direct: false, "
                  "duration: 30s, think_time: 1ms}]\n");
  REQUIRE(bench.wait_for(*program, kReading));
  for (const int child : children_of(program->pid())) kill_process(child);
  program->signal(SIGKILL);
  bench.finish(*program);
  disk.set("dead", 1);
  const Finished dead = bench.diskproof({"cleanup"});
  disk.set("dead", 0);
  INFO(dead.err);
  CHECK(dead.code == 2);
  CHECK(dead.err.find("does not answer; bring its server or disk back and run `diskproof cleanup`") !=
        std::string::npos);
  const Finished alive = bench.diskproof({"cleanup"});
  INFO(alive.out, alive.err);
  CHECK(alive.code == 0);
  CHECK(std::filesystem::is_empty(disk.path("")));
  CHECK(joined(bench.leftovers()).find("state") == std::string::npos);
}

}  // namespace diskproof::testing
