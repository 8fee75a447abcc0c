// A group of v1 may stand anywhere. One of v2 has the controller only if its parent hands it on, which a group with
// processes in it cannot do: so it is looked for from our own group upwards.
#include "target/io_controller_linux.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <vector>

#include "support/error.hpp"
#include "target/mount_table_linux.hpp"

namespace diskproof {
namespace {

bool has_word(std::string_view list, std::string_view word, char separator) {
  for (std::size_t from = 0; from <= list.size();) {
    const std::size_t end = std::min(list.find(separator, from), list.size());
    if (list.substr(from, end - from) == word) return true;
    from = end + 1;
  }
  return false;
}

bool file_has_word(const std::string& path, std::string_view word) {
  std::ifstream file(path);
  const std::vector<std::string> words{std::istream_iterator<std::string>(file), {}};
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Our own group in the hierarchy of a controller ("" for v2). Lines are number:controllers:path.
std::optional<std::string> own_group(std::string_view own_groups, std::string_view controller) {
  std::istringstream lines{std::string(own_groups)};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    if (has_word(std::string_view(line).substr(first + 1, second - first - 1), controller, ',')) {
      return line.substr(second + 1);
    }
  }
  return std::nullopt;
}

// The part of `group` below what is mounted, as "/a/b"; "" for the mount itself and for a group outside of it.
std::string below_mount(const MountLine& mount, const std::string& group) {
  const std::string root = mount.root == "/" ? "" : mount.root;
  if (!group.starts_with(root + "/")) return "";
  const std::string below = group.substr(root.size());
  return below == "/" || below.find("/..") != std::string::npos ? "" : below;
}

std::string v2_parent(const MountLine& mount, std::string_view own_groups) {
  std::string below = below_mount(mount, own_group(own_groups, "").value_or("/"));
  for (;;) {
    const std::string folder = mount.mount_point + below;
    if (file_has_word(folder + "/cgroup.subtree_control", "io")) return folder;
    if (below.empty()) break;
    below.resize(below.rfind('/'));
  }
  if (!file_has_word(mount.mount_point + "/cgroup.controllers", "io")) {
    throw Error(ErrorKind::unavailable, "the cgroups at " + mount.mount_point +
                                            " (v2) have no io controller, and blkio of v1 is not mounted: mount it, "
                                            "or leave `throttle` out");
  }
  throw Error(ErrorKind::unavailable,
              "the cgroups at " + mount.mount_point +
                  " (v2) do not hand their io controller on to the groups above ours: run it by `systemd-run --scope "
                  "-p IOAccounting=yes`, or `echo +io > " +
                  mount.mount_point + "/cgroup.subtree_control`");
}

}  // namespace

std::string parent_of_throttles(std::string_view mountinfo, std::string_view own_groups) {
  const std::vector<MountLine> mounts = read_mounts(mountinfo);
  const auto blkio = std::find_if(mounts.rbegin(), mounts.rend(), [](const MountLine& mount) {
    return mount.type == "cgroup" && has_word(mount.super_options, "blkio", ',');
  });
  if (blkio != mounts.rend()) {
    return blkio->mount_point + below_mount(*blkio, own_group(own_groups, "blkio").value_or("/"));
  }
  const auto unified =
      std::find_if(mounts.rbegin(), mounts.rend(), [](const MountLine& mount) { return mount.type == "cgroup2"; });
  if (unified != mounts.rend()) return v2_parent(*unified, own_groups);
  throw Error(
      ErrorKind::unavailable,
      "no cgroup I/O controller is mounted, neither blkio of v1 nor v2: mount one, as by `mount -t cgroup2 none "
      "/sys/fs/cgroup`, or leave `throttle` out");
}

std::string disk_to_limit(unsigned major, unsigned minor, const std::string& sysfs) {
  std::string device = std::to_string(major) + ":" + std::to_string(minor);
  const std::string folder = sysfs + "/dev/block/" + device;
  if (!std::ifstream(folder + "/partition")) return device;
  // A partition's folder stands in that of its disk.
  if (std::string disk; std::ifstream(folder + "/../dev") >> disk) return disk;
  return device;
}

}  // namespace diskproof
