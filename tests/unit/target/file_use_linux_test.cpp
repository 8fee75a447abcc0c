// Who has which file, on a tree of the test's own, and the rule that follows.
#include "target/file_use_linux.hpp"

#include <doctest/doctest.h>
#include <filesystem>

#include "device_machine_linux.hpp"

namespace diskproof {
namespace {

struct Files {
  Files() {
    for (const char* name : {"image", "swap", "other"}) folder.write(name, name);
    std::filesystem::create_hard_link(folder.path("image"), folder.path("second name"));
    machine.device("loop3", "7:3");
    machine.attribute("loop3", "loop/backing_file", folder.path("image") + "\n");
    machine.file("proc/swaps", "Filename Type Size Used Priority\n" + folder.path("swap") + "\tfile 4 0 -2\n" +
                                   "/dev/sda2 partition 4 0 -3\n");
  }
  [[nodiscard]] std::string use_of(const std::string& name) const {
    const auto uses = read_file_uses(machine.roots());
    const FileUse* const use = find_use(uses, folder.path(name), look_at(folder.path(name)).identity);
    return use == nullptr ? "" : use->what + "; " + use->advice;
  }
  TempFolder folder;
  Machine machine;
};

}  // namespace

TEST_CASE("file use: an image is known by each of its names, a swap file by its own") {
  const Files files;
  const std::string device = files.machine.roots().dev + "/loop3";
  CHECK(files.use_of("image") == "attached as " + device + "; `losetup -d " + device + "`");
  CHECK(files.use_of("second name") == files.use_of("image"));
  CHECK(files.use_of("swap") == "swap space in use; `swapoff " + files.folder.path("swap") + "`");
  CHECK(files.use_of("other") == "");
}

TEST_CASE("file use: where the image of a loop device is mounted is told") {
  const Files files;
  files.machine.file("proc/self/mountinfo", Machine::mount_line("7:3", "/mnt/photos", "ext4", "/dev/loop3"));
  CHECK(files.use_of("image").find("which is mounted at /mnt/photos; unmount it, then `losetup") != std::string::npos);
}

TEST_CASE("file use: a file that was removed and one of its name are two") {
  const Files files;
  std::filesystem::remove(files.folder.path("image"));
  files.machine.attribute("loop3", "loop/backing_file", files.folder.path("image") + " (deleted)\n");
  const auto uses = read_file_uses(files.machine.roots());
  const FileUse* const use = find_use(uses, files.folder.path("image"), {.device = 1, .inode = 2});
  CHECK(use != nullptr);  // nothing tells them apart here, so that it is left alone
}

TEST_CASE("file use: known by number the path does not count, else it alone does") {
  const std::vector<FileUse> uses{{"/a", {.device = 1, .inode = 5}, "/dev/loop0", "attached", ""},
                                  {"/b", {}, "", "swap", ""}};
  CHECK(find_use(uses, "/x", {.device = 1, .inode = 5}) == &uses[0]);
  CHECK(find_use(uses, "/a", {.device = 1, .inode = 6}) == nullptr);
  CHECK(find_use(uses, "/b", {.device = 1, .inode = 7}) == &uses[1]);
}

}  // namespace diskproof
