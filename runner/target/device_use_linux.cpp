// Who uses which device now. What no file tells of (a mount in a namespace that no process is in, a program that
// claimed the device) is met by the exclusive open of the device, see device_handle_linux.hpp.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "target/device_roots_linux.hpp"
#include "target/mount_table_linux.hpp"

namespace diskproof {
namespace {

namespace fs = std::filesystem;

std::string read_all(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;  // which takes a read error, of what is gone by now, as the end
  text << file.rdbuf();
  return text.str();
}

std::string link_of(const fs::path& path) {
  std::error_code fault;
  const fs::path target = fs::read_symlink(path, fault);
  return fault ? "" : target.string();
}

std::vector<fs::path> entries_of(const std::string& folder) {
  std::vector<fs::path> entries;
  std::error_code fault;
  for (fs::directory_iterator entry(folder, fault), end; !fault && entry != end; entry.increment(fault)) {
    entries.push_back(entry->path());
  }
  std::ranges::sort(entries);
  return entries;
}

DeviceFacts* find(DeviceTable& table, std::string_view name) {
  const auto found = std::ranges::find(table.devices, name, &DeviceFacts::name);
  return found == table.devices.end() ? nullptr : &*found;
}

// The device that "/dev/sdb", "/dev/mapper/vg-data" or "/dev/vg/data" is a name of.
DeviceFacts* find_by_path(DeviceTable& table, const DeviceRoots& roots, const std::string& path) {
  if (!path.starts_with("/dev/")) return nullptr;
  for (DeviceFacts& device : table.devices) {
    if (device.path == path || std::ranges::count(device.links, path) > 0) return &device;
  }
  return find(table, fs::weakly_canonical(roots.dev + path.substr(4)).filename().string());
}

void add_mounts(DeviceTable& table, const DeviceRoots& roots, const std::string& mountinfo, std::uint64_t process) {
  for (const MountLine& mount : read_mounts(mountinfo)) {
    const auto found = std::ranges::find(table.devices, mount.number, &DeviceFacts::number);
    // btrfs has a number of its own and tells one of its devices.
    DeviceFacts* const device = found != table.devices.end() ? &*found
                                : mount.number.major == 0    ? find_by_path(table, roots, mount.source)
                                                             : nullptr;
    if (device == nullptr) continue;
    const bool told =
        std::ranges::any_of(device->mounts, [&](const MountUse& use) { return use.mount_point == mount.mount_point; });
    if (!told) device->mounts.push_back({mount.mount_point, mount.type, process});
  }
}

// Our own namespace first, then each other one once.
void add_all_mounts(DeviceTable& table, const DeviceRoots& roots) {
  add_mounts(table, roots, read_all(roots.proc + "/self/mountinfo"), 0);
  std::set<std::string> seen{link_of(roots.proc + "/self/ns/mnt")};
  for (const fs::path& entry : entries_of(roots.proc)) {
    const std::string name = entry.filename().string();
    std::uint64_t process = 0;
    const auto [rest, fault] = std::from_chars(name.data(), name.data() + name.size(), process);
    if (fault != std::errc() || rest != name.data() + name.size()) continue;
    const std::string space = link_of(entry / "ns/mnt");
    // Of another user's process the namespace is not told; its mounts may be.
    if (!space.empty() && !seen.insert(space).second) continue;
    add_mounts(table, roots, read_all((entry / "mountinfo").string()), process);
  }
}

// "/dev/sda2   partition  8388604  0  -2", under a line of heads.
void read_swap(DeviceTable& table, const DeviceRoots& roots) {
  std::ifstream file(roots.proc + "/swaps");
  for (std::string line; std::getline(file, line);) {
    const std::string path = unescape(line.substr(0, line.find_first_of(" \t")));
    if (DeviceFacts* device = find_by_path(table, roots, path)) device->swap = true;
  }
}

void read_pools(DeviceTable& table, const DeviceRoots& roots) {
  for (const fs::path& filesystem : entries_of(roots.sys + "/fs/btrfs")) {
    for (const fs::path& member : entries_of((filesystem / "devices").string())) {
      if (DeviceFacts* device = find(table, member.filename().string())) device->btrfs = filesystem.filename().string();
    }
  }
  std::error_code ignored;
  for (const fs::path& entry : entries_of(roots.proc + "/spl/kstat/zfs")) {
    if (fs::is_directory(entry, ignored)) table.zfs_pools.push_back(entry.filename().string());
  }
}

}  // namespace

void read_uses(DeviceTable& table, const DeviceRoots& roots) {
  add_all_mounts(table, roots);
  read_swap(table, roots);
  read_pools(table, roots);
}

}  // namespace diskproof
