// The mount table, read from fixtures.
#include "target/mount_table_linux.hpp"

#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/mount.h>
#include <unistd.h>

#include "support/temp_folder.hpp"
#include "target/filesystem_steps_linux.hpp"

namespace diskproof {
namespace {

constexpr const char* kTable =
    "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/root rw,errors=remount-ro\n"
    "30 22 0:26 / /tmp rw,nosuid - tmpfs tmpfs rw,size=8G\n"
    "31 22 0:40 / /mnt rw - xfs /dev/old rw\n"
    "32 22 0:41 / /mnt rw,noatime - nfs4 server:/export rw,vers=4.2,rsize=1048576\n"
    "33 22 8:2 / /mnt\\040with\\040blanks rw - btrfs /dev/sd\\134b rw\n"
    "34 22 0:50 / /broken rw\n";

TEST_CASE("mount table: the longest mount point counts, the later one of two") {
  struct Row {
    const char* path;
    const char* type;
    const char* mount_point;
    const char* source;
  };
  for (const Row& row : {Row{"/home/x", "ext4", "/", "/dev/root"},
                         {"/tmp", "tmpfs", "/tmp", "tmpfs"},
                         {"/tmp/a/b", "tmpfs", "/tmp", "tmpfs"},
                         {"/tmpfile", "ext4", "/", "/dev/root"},
                         {"/mnt/share", "nfs4", "/mnt", "server:/export"},
                         {"/mnt with blanks/x", "btrfs", "/mnt with blanks", "/dev/sd\\b"},
                         {"/broken", "ext4", "/", "/dev/root"},
                         {"relative", "", "", ""}}) {
    CAPTURE(row.path);
    const FilesystemFacts facts = find_mount(kTable, row.path);
    CHECK(facts.type == row.type);
    CHECK(facts.mount_point == row.mount_point);
    CHECK(facts.source == row.source);
  }
  CHECK(find_mount(kTable, "/mnt/share").options == "rw,noatime,rw,vers=4.2,rsize=1048576");
}

TEST_CASE("mount table: the fixture's table is the one that is read") {
  const TempFolder folder;
  const std::string table = folder.write("mountinfo", "22 1 8:1 / / rw - sample /dev/sample rw\n");
  CHECK(filesystem_facts(folder.path(), table).type == "sample");
}

TEST_CASE("unmounting ends when nothing is mounted there, whatever lay on the mount point") {
  if (::geteuid() != 0) {
    MESSAGE("skipped: only root can mount");
    return;
  }
  const TempFolder folder;
  const std::string place = folder.path("place"), cover = folder.path("cover");
  std::filesystem::create_directory(place);
  std::filesystem::create_directory(cover);
  if (::mount("none", place.c_str(), "tmpfs", 0, "size=64k") != 0) {
    MESSAGE("skipped: no tmpfs can be mounted here");
    return;
  }
  REQUIRE(::mount(cover.c_str(), place.c_str(), nullptr, MS_BIND, nullptr) == 0);  // on the device of the folder above
  unmount(place);
  std::ifstream table("/proc/self/mountinfo");
  const std::string mounts(std::istreambuf_iterator<char>(table), {});
  CHECK(mounts.find(place) == std::string::npos);
  unmount(place);  // nothing to do
}

}  // namespace
}  // namespace diskproof
