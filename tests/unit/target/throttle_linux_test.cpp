// The I/O controller of v1 and of v2, on folders that look like theirs. That it holds a real disk: tests/beds.
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>

#include "support/error.hpp"
#include "support/temp_folder.hpp"
#include "target/io_controller_linux.hpp"
#include "target/throttle.hpp"

namespace diskproof {
namespace {

namespace fs = std::filesystem;

template <typename Call>
std::string refusal(ErrorKind kind, Call call) {
  try {
    call();
  } catch (const Error& error) {
    CHECK(error.kind() == kind);
    return error.what();
  }
  return "nothing was thrown";
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("throttle: v1 groups stand below our own where it can be seen, else at the mount") {
  struct Row {
    const char* mounts;
    const char* own;
    const char* parent;
  };
  const char* const kV1 = "37 30 0:34 / /cg/blkio rw,relatime - cgroup cgroup rw,blkio\n";
  for (const Row& row :
       {Row{kV1, "7:blkio:/\n0::/\n", "/cg/blkio"},
        {kV1, "8:pids:/x\n7:blkio:/user/me\n", "/cg/blkio/user/me"},
        {kV1, "8:pids:/x\n", "/cg/blkio"},
        {kV1, "7:blkio:/../other\n", "/cg/blkio"},
        {"1 0 0:1 /box /cg\\040io rw - cgroup cgroup rw,io,blkio\n", "7:io,blkio:/box/me\n", "/cg io/me"},
        {"1 0 0:1 /box /cg rw - cgroup cgroup rw,blkio\n", "7:blkio:/boxes\n", "/cg"},
        {"1 0 0:1 / /cg rw - cgroup cgroup rw,cpu\n2 0 0:2 / /both rw - cgroup cgroup rw,net,blkio\n"
         "3 0 0:3 / /u rw - cgroup2 cgroup2 rw\n",
         "0::/me\n", "/both"}}) {
    CAPTURE(row.parent);
    CHECK(parent_of_throttles(row.mounts, row.own) == row.parent);
  }
}

TEST_CASE("throttle: a v2 group stands below the nearest of ours that hands io on") {
  const TempFolder root;
  fs::create_directories(root.path("a/b"));
  const std::string mounts = fmt::format("3 0 0:3 / {} rw - cgroup2 cgroup2 rw,nsdelegate\n", root.path());
  const std::string own = "0::/a/b\n";

  root.write("cgroup.controllers", "cpu memory\n");
  CHECK(
      says(refusal(ErrorKind::unavailable, [&] { (void)parent_of_throttles(mounts, own); }), "have no io controller"));
  root.write("cgroup.controllers", "cpu io memory\n");
  root.write("a/cgroup.subtree_control", "cpu iommu\n");
  const std::string withheld = refusal(ErrorKind::unavailable, [&] { (void)parent_of_throttles(mounts, own); });
  CHECK(says(withheld, "do not hand their io controller on"));
  CHECK(says(withheld, "echo +io > " + root.path() + "/cgroup.subtree_control"));

  root.write("cgroup.subtree_control", "cpu io\n");
  CHECK(parent_of_throttles(mounts, own) == root.path());
  root.write("a/cgroup.subtree_control", "cpu io\n");
  CHECK(parent_of_throttles(mounts, own) == root.path("a"));
  CHECK(parent_of_throttles(mounts, "0::/../elsewhere\n") == root.path());
  CHECK(says(refusal(ErrorKind::unavailable, [] { (void)parent_of_throttles("", ""); }), "no cgroup I/O controller"));
}

TEST_CASE("throttle: limits are written as v1 and as v2 want them, those that are given only") {
  const TempFolder root;
  fs::create_directories(root.path("one"));
  fs::create_directories(root.path("two"));
  for (const std::string name : {"read_iops", "write_iops", "read_bps", "write_bps"}) {
    root.write("one/blkio.throttle." + name + "_device", "");
  }
  root.write("two/io.max", "");
  for (const std::string group : {"one", "two"}) root.write(group + "/cgroup.procs", "");
  const ThrottleLimits limits{.read_iops = 750, .write_iops = std::uint64_t{1} << 40, .write_bandwidth = 5'000'000};
  // No device has these numbers, so that it is no partition.
  for (const std::string group : {"one", "two"}) {
    make_throttle(root.path(group), 4095, 7, limits);
    enter_throttle(root.path(group), 4711);
    CHECK(root.read(group + "/cgroup.procs") == "4711");
  }
  CHECK(root.read("one/blkio.throttle.read_iops_device") == "4095:7 750");
  CHECK(root.read("one/blkio.throttle.write_iops_device") == "4095:7 4294967295");
  CHECK(root.read("one/blkio.throttle.read_bps_device").empty());
  CHECK(root.read("one/blkio.throttle.write_bps_device") == "4095:7 5000000");
  CHECK(root.read("two/io.max") == "4095:7 riops=750 wiops=4294967295 wbps=5000000");
}

TEST_CASE("throttle: a kernel that cannot limit disks is told, and no group is left") {
  const TempFolder root;
  const std::string group = root.path("group");
  CHECK(says(refusal(ErrorKind::unavailable, [&] { make_throttle(group, 4095, 7, {.read_iops = 5}); }),
             "CONFIG_BLK_DEV_THROTTLING"));
  CHECK_FALSE(root.has("group"));
  CHECK(says(refusal(ErrorKind::failed, [&] { make_throttle(root.path("no/group"), 4095, 7, {.read_iops = 5}); }),
             "cannot make the cgroup"));
  CHECK(says(refusal(ErrorKind::failed, [&] { enter_throttle(group, 4711); }), "move a process into it"));
  remove_throttle(group);
}

TEST_CASE("throttle: the controller's own counts are those of the disk asked for") {
  const TempFolder root;
  fs::create_directories(root.path("one"));
  fs::create_directories(root.path("two"));
  root.write("one/blkio.throttle.io_serviced",
             "4095:70 Read 1\n4095:70 Write 1\n4095:7 Read 12\n4095:7 Write 5\n4095:7 Sync 17\nTotal 19\n");
  root.write("two/io.stat", "4095:70 rios=1 wios=1\n4095:7 rbytes=49152 wbytes=20480 rios=12 wios=5 dbytes=0 dios=0\n");
  for (const std::string group : {"one", "two"}) {
    const ThrottleCounts counts = throttle_counts(root.path(group), 4095, 7);
    CHECK(counts.reads == 12);
    CHECK(counts.writes == 5);
    CHECK(throttle_counts(root.path(group), 4095, 8).reads == 0);
  }
}

TEST_CASE("throttle: of a partition, the disk that it is on is limited") {
  const TempFolder sysfs;
  fs::create_directories(sysfs.path("devices/sda/sda1"));
  fs::create_directories(sysfs.path("dev/block"));
  sysfs.write("devices/sda/dev", "8:0\n");
  sysfs.write("devices/sda/sda1/partition", "1\n");
  fs::create_directory_symlink("../../devices/sda", sysfs.path("dev/block/8:0"));
  fs::create_directory_symlink("../../devices/sda/sda1", sysfs.path("dev/block/8:1"));
  CHECK(disk_to_limit(8, 1, sysfs.path()) == "8:0");
  CHECK(disk_to_limit(8, 0, sysfs.path()) == "8:0");
  CHECK(disk_to_limit(7, 3, sysfs.path()) == "7:3");
}

}  // namespace diskproof
