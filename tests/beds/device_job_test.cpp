// The whole program on loop devices: what is refused ends with exit code 4 and reports, and every byte as it was.
#include <cstring>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sys/mount.h>
#include <sys/swap.h>

#include "beds/loop_disk.hpp"
#include "integration/bench.hpp"
#include "integration/reports.hpp"

namespace diskproof::testing {
namespace {

constexpr std::uint64_t kSize = 4 << 20;

bool skipped(const LoopDisk& disk) {
  if (disk.fault().empty()) return false;
  MESSAGE("skipped: no loop device, ", disk.fault());
  return true;
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(kSize, '\0');
  file.read(bytes.data(), kSize);
  REQUIRE(file.gcount() == kSize);
  return bytes;
}

std::string job(const std::string& device, const std::string& more, const std::string& duration = "100ms") {
  return fmt::format(
      "diskproof: 1\nname: bed\ndisks: {{d: {{device: {}, {}}}}}\n"
      "phases:\n  - {{name: w, disk: d, engine: sync, size: 1MiB, operations: write, block_size: 4KiB, duration: "
      "{}}}\n",
      device, more, duration);
}

void check_refused(const LoopDisk& disk, const std::string& job_text, const std::vector<std::string>& options,
                   const std::string& reason) {
  const std::string before = bytes_of(disk.device());
  const Bench bench;
  const Finished run = bench.run(job_text, options);
  INFO(job_text, run.out, run.err);
  CHECK(run.code == 4);
  const std::string said = Result(bench).json().at("reason");
  CAPTURE(said);
  CHECK(said.find(reason) != std::string::npos);
  CHECK(bytes_of(disk.device()) == before);
  CHECK(std::filesystem::exists(bench.path("out/junit.xml")));
  CHECK(joined(bench.leftovers()) == "");
}

const std::vector<std::string> kAllowed{"--allow-destroy", "d"};

}  // namespace

TEST_CASE("device job: refused with every byte as it was") {
  const LoopDisk disk(kSize), read_only(kSize, true);
  if (skipped(disk) || skipped(read_only)) return;
  const std::string destroy = "destroy: true";
  REQUIRE(run_tool({"mkfs.ext4", "-q", "-F", disk.device()}).code == 0);
  check_refused(disk, job(disk.device(), destroy), {}, "--allow-destroy d");
  check_refused(disk, job(disk.device(), destroy), {}, "holds ext4");
  check_refused(disk, job(disk.device(), "destroy: false"), kAllowed, "set `destroy: true`");
  check_refused(disk, job(disk.device(), destroy), {"--allow-destroy", "d=SERIAL"}, "neither serial nor WWN");
  check_refused(disk, job(disk.device(), destroy + ", identity: {size: 1GiB}"), kAllowed, "the job asks for 1 GiB");
  check_refused(disk, job(disk.folder().path(), destroy), kAllowed, "is a folder, not a block device");
  check_refused(read_only, job(read_only.device(), destroy), kAllowed, "is read-only");

  const std::string link = disk.folder().path("link"), place = disk.folder().path("mounted");
  std::filesystem::create_symlink(disk.device(), link);
  std::filesystem::create_directory(place);
  REQUIRE(::mount(disk.device().c_str(), place.c_str(), "ext4", MS_RDONLY, nullptr) == 0);
  for (const std::string& path : {disk.device(), link, "/dev/../dev/" + disk.name()}) {
    check_refused(disk, job(path, destroy), kAllowed, "is mounted at");
  }
  REQUIRE(::umount(place.c_str()) == 0);
  for (const std::string& source : {disk.device(), link}) {  // a type whose helper would take a device
    check_refused(disk,
                  "diskproof: 1\nname: bed\ndisks: {d: {mount: {source: " + source +
                      ", type: fuse.any}, fill: true}}\nphases:\n  - {name: w, disk: d, engine: sync, size: 1MiB, "
                      "operations: write, duration: 100ms}\n",
                  {}, "`mount` is for shares");
  }

  REQUIRE(run_tool({"mkswap", disk.device()}).code == 0);
  if (::swapon(disk.device().c_str(), 0) != 0) {
    MESSAGE("skipped: no swap, ", std::strerror(errno));
    return;
  }
  check_refused(disk, job(disk.device(), destroy), kAllowed, "is swap space in use");
  ::swapoff(disk.device().c_str());
}

TEST_CASE("device job: what speaks against another disk of the job shows before this one is formatted") {
  const LoopDisk disk(kSize);
  if (skipped(disk)) return;
  const std::string alias = disk.folder().path("alias");
  std::filesystem::create_symlink(disk.device(), alias);
  const struct {
    const char* name;
    std::string other;
    const char* reason;
  } rows[] = {
      {"the same device by another name", "{device: " + alias + ", destroy: true, filesystem: {type: ext4}}",
       "is the same device"},
      {"a device as a share", "{mount: {source: " + disk.device() + ", type: tmpfs}, fill: true}",
       "`mount` is for shares"},
      {"a share with too little room", "{mount: {source: none, type: tmpfs, options: [size=64m]}}",
       "less than the reserve"},
  };
  for (const auto& row : rows) {
    INFO(row.name);
    check_refused(disk,
                  "diskproof: 1\nname: bed\ndisks:\n  d: {device: " + disk.device() +
                      ", destroy: true, filesystem: {type: ext4}}\n  e: " + row.other +
                      "\ndefaults: {engine: sync, size: 1MiB, operations: write, duration: 100ms}\n"
                      "phases: [{name: w, disk: d}, {name: x, disk: e}]\n",
                  {"--allow-destroy", "d", "--allow-destroy", "e"}, row.reason);
  }
}

TEST_CASE("device job: plan tells which device would be written to, and whether it may") {
  const LoopDisk disk(kSize);
  if (skipped(disk)) return;
  const Bench bench;
  const std::string writes = bench.folder().write("job.yaml", job(disk.device(), "destroy: true"));
  const Finished allowed = bench.diskproof({"plan", writes, "--allow-destroy", "d"});
  INFO(allowed.out, allowed.err);
  CHECK(allowed.code == 0);
  CHECK(allowed.out.find("disk d: " + disk.device() + " is " + disk.device()) != std::string::npos);
  CHECK(allowed.out.find("a run would write to it, and may") != std::string::npos);
  const Finished refused = bench.diskproof({"plan", writes});
  CHECK(refused.code == 4);
  CHECK(refused.err.find("add --allow-destroy d") != std::string::npos);
  const std::string reads = bench.folder().write(
      "read.yaml",
      "diskproof: 1\nname: bed\ndisks: {d: {device: " + disk.device() +
          "}}\nphases: [{name: r, disk: d, engine: sync, size: 1MiB, layout: none, operations_count: 1}]\n");
  CHECK(bench.diskproof({"plan", reads}).out.find("it would only be read") != std::string::npos);
}

TEST_CASE("device job: with consent it runs, and keeps a second run from its disk") {
  const LoopDisk disk(kSize);
  if (skipped(disk)) return;
  const Bench first;
  std::ofstream(first.path("job.yaml")) << job(disk.device(), "destroy: true", "60s");
  Program running(Launch{
      {DISKPROOF_BINARY, "run", first.path("job.yaml"), "--out", first.path("out"), "--json", "--allow-destroy", "d"},
      {{"XDG_STATE_HOME", first.path("state")}},
      first.path("work"),
      first.path("running.out"),
      first.path("running.err")});
  const bool began = first.wait_for(running, R"("event":"tick")");
  INFO(first.folder().read("running.out"), first.folder().read("running.err"));
  REQUIRE(began);
  const Bench second;  // with a folder of journals of its own
  const Finished refused = second.run(job(disk.device(), "destroy: true"), kAllowed);
  INFO(refused.err);
  CHECK(refused.code == 4);
  const std::string said = Result(second).json().at("reason");
  CAPTURE(said);
  CHECK(said.find("is in use") != std::string::npos);
  running.signal(2);
  CHECK(first.finish(running).code == 130);
  const Finished again = second.run(job(disk.device(), "destroy: true"), kAllowed);
  INFO(again.out, again.err);
  CHECK(again.code == 0);
  CHECK(joined(second.leftovers()) == "");
}

}  // namespace diskproof::testing
