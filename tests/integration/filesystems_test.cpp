// Each file system that a job may ask for, made and mounted for real on an image. As root; skipped with the reason
// where the program is missing, and where the kernel does not know the file system the error says so.
#include <array>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

#include "integration/loops.hpp"
#include "integration/reports.hpp"

namespace diskproof::testing {
namespace {

struct Type {
  const char *name, *size, *mkfs_args, *mount_options;
};
constexpr std::array<Type, 4> kTypes{{{"ext4", "64MiB", "[-m, \"0\"]", "[discard]"},
                                      {"xfs", "512MiB", "[-K]", "[noatime]"},
                                      {"btrfs", "256MiB", "[-M]", "[\"compress=no\", noatime]"},
                                      {"f2fs", "128MiB", "[]", "[noatime]"}}};

bool has_program(const std::string& name) {
  for (const std::string folder :
       {"/usr/local/sbin/", "/usr/local/bin/", "/usr/sbin/", "/usr/bin/", "/sbin/", "/bin/"}) {
    if (std::filesystem::exists(folder + name)) return true;
  }
  MESSAGE("skipped: there is no ", name);
  return false;
}

bool kernel_knows(const std::string& type) {
  std::ifstream list("/proc/filesystems");
  for (std::string word; list >> word;) {
    if (word == type) return true;
  }
  return false;
}

std::string job(const Type& type) {
  return fmt::format(
      "diskproof: 1\nname: filesystems\ndisks:\n  d:\n    loop: {{image: d.img, size: {1}}}\n    fill: true\n"
      "    filesystem: {{type: {0}, label: proof, mkfs_args: {2}, mount_options: {3}}}\n"
      "    prepare: [wipe, {{mode: \"0700\"}}]\n"
      "defaults: {{disk: d, size: 4MiB, engine: sync, block_size: 4KiB, access: random, operations_count: 200}}\n"
      "phases:\n  - {{name: writes, operations: write, fsync: {{end: true}}, thresholds: [write.operations == 200]}}\n"
      "  - {{name: reads, operations: read, thresholds: [read.operations == 200]}}\n",
      type.name, type.size, type.mkfs_args, type.mount_options);
}

}  // namespace

TEST_CASE("every file system is made, mounted, written, read, and gone afterwards") {
  if (skipped_without_loops()) return;
  for (const Type& type : kTypes) {
    CAPTURE(std::string(type.name));
    if (!has_program(std::string("mkfs.") + type.name)) continue;
    const Bench bench;
    const Finished run = bench.run(job(type));
    INFO(run.out, run.err);
    const Result result(bench);
    const std::string step = std::string("disk d: mkfs.") + type.name;
    CHECK(read_junit(bench).at("preparation", step).end == "passed");
    if (run.code == 2 && !kernel_knows(type.name)) {
      const JunitEntry mount = read_junit(bench).at("preparation", "disk d: mount");
      CHECK(mount.end == "error");
      CHECK(mount.message.find("unknown filesystem type '" + std::string(type.name) + "'") != std::string::npos);
      CHECK(result.reason("writes").find("disk d could not be prepared") != std::string::npos);
    } else {
      CHECK(run.code == 0);
      CHECK(result.json().at("disks").at(0).at("filesystem") == type.name);
    }
    CHECK(joined(left_in_system(bench, result.json().at("plan").at("run_id"))) == "");
    CHECK(joined(bench.leftovers()) == "");
    CHECK(schema_complaint(bench) == "");
  }
}

}  // namespace diskproof::testing
