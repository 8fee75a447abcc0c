// A file that is somebody's disk or swap space is refused whatever the job says, and nothing in it changes.
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <unistd.h>

#include "beds/loop_disk.hpp"
#include "integration/loops.hpp"
#include "integration/reports.hpp"

namespace diskproof::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSize = 8 << 20;

std::string job_for(const std::string& disk) {
  return "diskproof: 1\nname: images\ndisks: {d: {" + disk +
         ", fill: true}}\nphases: [{name: load, disk: d, size: 1MiB, engine: sync, direct: false, operations: write, "
         "operations_count: 4}]\n";
}

std::string overwriting(const std::string& file) { return "file: \"" + file + "\", overwrite: true"; }

// By plan and run, of which neither writes.
void check_refused(const std::string& disk, const std::string& image, const std::string& says) {
  CAPTURE(disk);
  const Bench bench;
  const std::uint64_t before = content_hash(image);
  const Finished ran = bench.run(job_for(disk), {"--quiet"});
  INFO(ran.err);
  CHECK(ran.code == 4);
  CHECK(ran.err.find(says) != std::string::npos);
  const Finished planned = bench.diskproof({"plan", bench.path("job.yaml")});
  CHECK(planned.code == 4);
  CHECK(planned.err.find(says) != std::string::npos);
  CHECK(content_hash(image) == before);
  CHECK_FALSE(fs::exists(image + ".diskproof"));
  CHECK(joined(bench.leftovers()) == "");
}

}  // namespace

TEST_CASE("image bed: the image of a loop device is refused by each name until it is detached") {
  LoopDisk disk(kSize);
  if (!disk.fault().empty()) {
    MESSAGE("skipped: no loop device, ", disk.fault());
    return;
  }
  const std::string image = disk.image(), attached = "is attached as " + disk.device();
  fs::create_hard_link(image, disk.folder().path("second"));
  fs::create_directory_symlink(disk.folder().path(), disk.folder().path("link"));
  check_refused(overwriting(image), image, attached);
  check_refused(overwriting(disk.folder().path("second")), image, attached);
  check_refused(overwriting(disk.folder().path("link/image")), image, attached);
  check_refused("loop: {image: \"" + image + "\", size: 8MiB}, overwrite: true", image, attached);
  disk.detach();
  const Bench bench;
  const Finished run = bench.run(job_for(overwriting(image)));
  INFO(run.out, run.err);
  CHECK(run.code == 0);
}

TEST_CASE("image bed: of a mounted image the mount point is told") {
  const LoopDisk disk(kSize);
  if (!disk.fault().empty()) {
    MESSAGE("skipped: no loop device, ", disk.fault());
    return;
  }
  REQUIRE(run_tool({"mkfs.ext4", "-q", "-F", disk.device()}).code == 0);
  const std::string place = disk.folder().path("mounted");
  fs::create_directory(place);
  if (::mount(disk.device().c_str(), place.c_str(), "ext4", MS_RDONLY, nullptr) != 0) {
    MESSAGE("skipped: nothing can be mounted here");
    return;
  }
  check_refused(overwriting(disk.image()), disk.image(), "which is mounted at " + place);
  ::umount(place.c_str());
}

TEST_CASE("image bed: a swap file is refused while it is swap space") {
  const TempFolder folder;
  const std::string file = folder.write("swap", std::string(kSize, '\0'));
  ::chmod(file.c_str(), 0600);
  if (run_tool({"mkswap", file}).code != 0 || ::swapon(file.c_str(), 0) != 0) {
    MESSAGE("skipped: no swap file can be used here");
    return;
  }
  check_refused(overwriting(file), file, "is swap space in use");
  ::swapoff(file.c_str());
}

TEST_CASE("image bed: nothing of a job is made among the undo journals") {
  for (const std::string keys : {"file: ../state/diskproof/x", "directory: ../state/diskproof",
                                 "loop: {image: ../state/diskproof/d.img, size: 8MiB}"}) {
    CAPTURE(keys);
    const Bench bench;
    fs::create_directories(bench.path("state/diskproof"));
    const Finished run = bench.run(job_for(keys), {"--quiet"});
    INFO(run.err);
    CHECK(run.code == 4);
    CHECK(run.err.find("in the folder of the undo journals") != std::string::npos);
    CHECK(fs::is_empty(bench.path("state/diskproof")));
  }
}

}  // namespace diskproof::testing
