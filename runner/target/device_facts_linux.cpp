// The block devices of sysfs, one folder each.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

#include "support/error.hpp"
#include "target/device_facts.hpp"
#include "target/device_roots_linux.hpp"

namespace diskproof {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSysfsSector = 512;  // the unit of `size`, whatever the device's own sectors are

// 0 for what is no number.
std::uint64_t read_number(const std::string& path) {
  const std::string text = read_line(path);
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code fault;
  for (fs::directory_iterator entry(folder, fault), end; !fault && entry != end; entry.increment(fault)) {
    names.push_back(entry->path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

DeviceKind kind_of(const std::string& folder, const std::string& name) {
  std::error_code ignored;
  const auto has = [&](const char* entry) { return fs::exists(folder + "/" + entry, ignored); };
  if (has("partition")) return DeviceKind::partition;
  if (has("dm")) return DeviceKind::device_mapper;
  if (has("md")) return DeviceKind::md;
  if (name.starts_with("loop")) return DeviceKind::loop;
  if (name.starts_with("zram")) return DeviceKind::zram;
  return has("device") ? DeviceKind::disk : DeviceKind::other;
}

// "none [mq-deadline] kyber" has chosen mq-deadline; "none" stands alone.
std::string chosen(const std::string& list) {
  const auto open = list.find('['), close = list.find(']');
  return open == std::string::npos || close < open ? list : list.substr(open + 1, close - open - 1);
}

// A partition shares its disk's queue.
void read_queue(DeviceFacts& device, const std::string& queue) {
  device.logical_sector = static_cast<std::uint32_t>(read_number(queue + "/logical_block_size"));
  device.physical_sector = static_cast<std::uint32_t>(read_number(queue + "/physical_block_size"));
  device.rotational = read_number(queue + "/rotational") != 0;
  device.scheduler = chosen(read_line(queue + "/scheduler"));
  device.read_ahead = read_number(queue + "/read_ahead_kb") << 10;
  device.write_cache = read_line(queue + "/write_cache");
}

DeviceFacts read_device(const std::string& name, const DeviceRoots& roots) {
  const fs::path place = fs::weakly_canonical(roots.sys + "/class/block/" + name);
  const std::string folder = place.string();
  DeviceFacts device;
  device.name = name;
  device.number = parse_device_number(read_line(folder + "/dev"));
  device.path = "/dev/" + name;
  std::ranges::replace(device.path, '!', '/');  // "cciss!c0d0" is /dev/cciss/c0d0
  device.kind = kind_of(folder, name);
  device.size = read_number(folder + "/size") * kSysfsSector;
  device.read_only = read_number(folder + "/ro") != 0;
  device.holders = names_in(folder + "/holders");
  device.mapping = read_line(folder + "/dm/uuid");
  device.mapped_name = read_line(folder + "/dm/name");
  device.backing_file = read_line(folder + "/loop/backing_file");
  std::string disk = folder;
  if (device.kind == DeviceKind::partition) {
    device.parent = place.parent_path().filename().string();
    device.partition = static_cast<std::uint32_t>(read_number(folder + "/partition"));
    disk = place.parent_path().string();
  }
  device.removable = read_number(disk + "/removable") != 0;
  device.sequence = read_number(disk + "/diskseq");
  read_queue(device, disk + "/queue");
  return device;
}

// All links to devices in a folder of links, by the name of the device that they lead to.
void read_links(DeviceTable& table, const DeviceRoots& roots, const std::string& folder) {
  for (const std::string& name : names_in(roots.dev + folder)) {
    std::error_code fault;
    const std::string target = fs::read_symlink(roots.dev + folder + "/" + name, fault).filename().string();
    if (fault) continue;
    for (DeviceFacts& device : table.devices) {
      if (device.name == target) device.links.push_back("/dev" + folder + "/" + name);
    }
  }
}

// By-id first: those are what a job should name.
void read_all_links(DeviceTable& table, const DeviceRoots& roots) {
  read_links(table, roots, "/disk/by-id");
  for (const std::string& name : names_in(roots.dev + "/disk")) {
    if (name != "by-id") read_links(table, roots, "/disk/" + name);
  }
  read_links(table, roots, "/mapper");
  read_links(table, roots, "/md");
}

}  // namespace

std::string read_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const auto first = line.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return line.substr(first, line.find_last_not_of(" \t") - first + 1);
}

DeviceTable read_devices() { return read_devices(DeviceRoots{}); }

DeviceTable read_devices(const DeviceRoots& roots) {
  const std::string folder = roots.sys + "/class/block";
  std::error_code fault;
  if (!fs::is_directory(folder, fault)) {
    throw Error(ErrorKind::unavailable,
                "cannot list the block devices: there is no " + folder + "; mount sysfs on " + roots.sys);
  }
  DeviceTable table;
  for (const std::string& name : names_in(folder)) {
    const bool hidden = read_number(folder + "/" + name + "/hidden") != 0;  // one path of a multipath NVMe: no node
    if (!hidden) table.devices.push_back(read_device(name, roots));
  }
  for (DeviceFacts& device : table.devices) read_identity(device, roots);
  read_all_links(table, roots);
  read_uses(table, roots);
  return table;
}

}  // namespace diskproof
