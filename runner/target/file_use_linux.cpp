// Loop devices tell their images in sysfs, and by number where this user may ask them; swap files are in /proc.
#include "target/file_use_linux.hpp"

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <linux/loop.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <sys/ioctl.h>
#include <unistd.h>

#include "support/error.hpp"
#include "target/mount_table_linux.hpp"
#include "target/run_apart_linux.hpp"

namespace diskproof {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::uint64_t kPatience = 3'000'000'000;  // ns; what is attached is open, and need not spin up

// A file that was removed is told by its last name.
std::string without_mark(std::string path) {
  constexpr std::string_view kMark = " (deleted)";
  if (path.ends_with(kMark)) path.resize(path.size() - kMark.size());
  return path;
}

std::string read_all(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;  // which takes a read error as the end
  text << file.rdbuf();
  return text.str();
}

void add_loops(std::vector<FileUse>& uses, const DeviceRoots& roots) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(roots.sys + "/class/block", ignored)) {
    const std::string image = without_mark(read_line((entry.path() / "loop/backing_file").string()));
    if (image.empty()) continue;
    const std::string device = roots.dev + "/" + entry.path().filename().string();
    const DeviceNumber number = parse_device_number(read_line((entry.path() / "dev").string()));
    FileUse use{image, {}, device, "attached as " + device, "`losetup -d " + device + "`"};
    for (const MountLine& mount : read_mounts(read_all(roots.proc + "/self/mountinfo"))) {
      if (mount.number != number || use.advice.starts_with("unmount")) continue;
      use.what += ", which is mounted at " + mount.mount_point;
      use.advice = "unmount it, then " + use.advice;
    }
    uses.push_back(use);
  }
}

// "/swapfile  file  2097148  0  -2", under a line of heads.
void add_swap_files(std::vector<FileUse>& uses, const DeviceRoots& roots) {
  std::ifstream file(roots.proc + "/swaps");
  for (std::string line; std::getline(file, line);) {
    const auto end = line.find_first_of(" \t");
    const auto type = line.find_first_not_of(" \t", end);
    if (type == std::string::npos || !line.substr(type).starts_with("file")) continue;
    const std::string path = without_mark(unescape(line.substr(0, end)));
    uses.push_back({path, {}, {}, "swap space in use", "`swapoff " + path + "`"});
  }
}

// By what the loop device has open, which no path may lead to any more.
FileIdentity asked(const std::string& device) {
  FileIdentity identity;
  const int loop = open(device.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (loop < 0) return identity;
  loop_info64 info{};
  if (ioctl(loop, LOOP_GET_STATUS64, &info) == 0) {
    identity.device = info.lo_device;
    identity.inode = info.lo_inode;
  }
  close(loop);
  return identity;
}

FileIdentity identity_of(const FileUse& use) {
  if (const FileIdentity found = asked(use.loop); found.inode != 0) return found;
  try {
    return look_at(use.path).identity;
  } catch (const Error&) {
    return {};  // not ours to look at
  }
}

// Apart: an image on a dead server must not keep a job waiting that has nothing to do with it.
void identify(std::vector<FileUse>& uses) {
  const auto answer = [&] {
    Json all = Json::array();
    for (const FileUse& use : uses) {
      const FileIdentity identity = identity_of(use);
      all.push_back({identity.device, identity.inode, identity.born});
    }
    return all.dump();
  };
  const ApartResult result = run_apart(answer, kPatience);
  if (result.end != Apart::done) return;
  const Json all = Json::parse(result.text);
  for (std::size_t i = 0; i < uses.size(); ++i) uses[i].identity = {all.at(i).at(0), all.at(i).at(1), all.at(i).at(2)};
}

}  // namespace

std::vector<FileUse> read_file_uses(const DeviceRoots& roots) {
  std::vector<FileUse> uses;
  add_loops(uses, roots);
  add_swap_files(uses, roots);
  if (!uses.empty()) identify(uses);
  return uses;
}

std::vector<FileUse> read_file_uses() { return read_file_uses(DeviceRoots{}); }

}  // namespace diskproof
