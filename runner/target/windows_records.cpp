// From records to the table that the guard knows.
#include "target/windows_records.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "target/windows_descriptor.hpp"

namespace diskproof {
namespace {

std::string in_capitals(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

std::string disk_name(std::uint32_t number) { return fmt::format("PhysicalDrive{}", number); }

// Who has a partition of such a type, other than a volume; empty: nobody.
const char* manager_of(const std::string& type) {
  constexpr const char* kDynamic = "dynamic disks";
  if (type == "AF9B60A0-1431-4F62-BC68-3311714A69AD" || type == "5808C8AA-7E8F-42E0-85D2-E1E90434CFB3" || type == "42")
    return kDynamic;
  if (type == "E75CAF8F-F680-4CEE-AFA3-B001E56EFC2D" || type == "E7") return "a storage pool";
  return "";
}

// "\??\C:\pagefile.sys" lies on what is mounted at "C:\".
std::string plain_page_file(const std::string& entry) {
  constexpr std::string_view kPrefix = "\\??\\";
  return entry.starts_with(kPrefix) ? entry.substr(kPrefix.size()) : entry;
}

bool lies_below(const std::string& file, const std::string& mount) {
  return in_capitals(file).starts_with(in_capitals(mount));
}

DeviceFacts facts_of(const WindowsDisk& disk) {
  DeviceFacts facts;
  const DiskDescriptor told = parse_disk_descriptor(disk.descriptor);
  facts.number = windows_disk_number(disk.number);
  facts.name = disk_name(disk.number);
  facts.path = "\\\\.\\" + facts.name;
  facts.kind = DeviceKind::disk;
  facts.model = told.model;
  facts.serial = told.serial;
  facts.firmware = told.firmware;
  facts.bus = told.bus;
  facts.removable = told.removable;
  facts.wwn = parse_wwn(disk.identifiers);
  facts.size = disk.size;
  facts.logical_sector = disk.logical_sector;
  facts.physical_sector = disk.physical_sector;
  facts.rotational = disk.rotational;
  facts.read_only = disk.read_only;
  facts.offline = disk.offline;
  facts.write_cache = disk.write_cache;
  for (const WindowsPartition& partition : disk.partitions) {
    if (facts.managed_by.empty()) facts.managed_by = manager_of(partition.type);
  }
  if (!disk.table.empty()) facts.signatures.push_back({.type = disk.table, .label = {}, .uuid = {}});
  return facts;
}

// What a volume has of its disk.
void take_from(const DeviceFacts& disk, DeviceFacts& volume) {
  volume.parent = disk.name;
  volume.serial = disk.serial;
  volume.wwn = disk.wwn;
  volume.model = disk.model;
  volume.firmware = disk.firmware;
  volume.bus = disk.bus;
  volume.removable = disk.removable;
  volume.logical_sector = disk.logical_sector;
  volume.physical_sector = disk.physical_sector;
  volume.rotational = disk.rotational;
  volume.read_only = volume.read_only || disk.read_only;
  volume.offline = disk.offline;
  volume.write_cache = disk.write_cache;
}

// One over several disks has no place in the numbers of disks: it is known by its name.
DeviceNumber number_of(const WindowsVolume& volume) {
  if (volume.disks.size() == 1) return windows_volume_number(volume.disks.front(), volume.partition);
  std::uint32_t hash = 2'166'136'261;  // FNV-1a
  for (const char c : volume.name + volume.letter) hash = (hash ^ static_cast<std::uint8_t>(c)) * 16'777'619;
  return {3, hash};
}

DeviceFacts facts_of(const WindowsVolume& volume, const WindowsRecords& records) {
  DeviceFacts facts;
  const std::string by_name = volume.name.empty() ? "" : "\\\\?\\" + volume.name;
  facts.number = number_of(volume);
  facts.name = volume.letter.empty() ? volume.name : volume.letter;
  facts.path = volume.letter.empty() ? by_name : "\\\\.\\" + volume.letter;
  if (!volume.letter.empty() && !by_name.empty()) facts.links.push_back(by_name);
  facts.kind = volume.disks.size() == 1 ? DeviceKind::partition : DeviceKind::other;
  facts.partition = volume.disks.size() == 1 ? volume.partition : 0;
  facts.size = volume.size;
  facts.read_only = volume.read_only;
  if (!volume.filesystem.empty())
    facts.signatures.push_back({.type = volume.filesystem, .label = volume.label, .uuid = {}});
  for (const std::string& mount : volume.mount_points) {
    facts.mounts.push_back({.mount_point = mount, .type = volume.filesystem, .process = 0});
    if (mount == records.windows_mount) facts.system_use = "Windows";
    for (const std::string& entry : records.page_files) {
      const std::string file = plain_page_file(entry);
      if (lies_below(file, mount)) facts.page_file = file;
    }
  }
  if (records.system_partition == facts.number && facts.system_use.empty())
    facts.system_use = "the start of this machine";
  return facts;
}

// The rest of `path` behind a prefix of the device name space.
std::optional<std::string_view> device_part(std::string_view path) {
  for (const std::string_view prefix : {"\\\\.\\", "\\\\?\\", "//./", "//?/"}) {
    if (path.starts_with(prefix)) return path.substr(prefix.size());
  }
  return std::nullopt;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 6 && text.find_first_not_of("0123456789") == std::string_view::npos &&
         (text.size() == 1 || text.front() != '0');
}

}  // namespace

DeviceTable table_of(const WindowsRecords& records) {
  DeviceTable table;
  table.of_windows = true;
  for (const WindowsDisk& disk : records.disks) table.devices.push_back(facts_of(disk));
  const std::size_t disks = table.devices.size();
  for (const WindowsVolume& volume : records.volumes) {
    DeviceFacts facts = facts_of(volume, records);
    for (std::size_t i = 0; i < disks; ++i) {
      DeviceFacts& disk = table.devices[i];
      if (std::ranges::count(volume.disks, disk.number.minor) == 0) continue;
      if (facts.kind == DeviceKind::partition) {
        take_from(disk, facts);
      } else {
        disk.holders.push_back(facts.name);
        if (facts.managed_by.empty()) facts.managed_by = disk.managed_by;
      }
    }
    table.devices.push_back(std::move(facts));
  }
  return table;
}

std::optional<WindowsDeviceName> parse_windows_device(std::string_view path) {
  constexpr std::string_view kDisk = "PHYSICALDRIVE", kVolume = "VOLUME{";
  constexpr std::size_t kGuid = 36;  // characters
  const auto part = device_part(path);
  if (!part) return std::nullopt;
  const std::string name = in_capitals(*part);
  if (name.starts_with(kDisk) && is_number(name.substr(kDisk.size()))) {
    const std::string number = name.substr(kDisk.size());
    return WindowsDeviceName{true, "PhysicalDrive" + number, "\\\\.\\PhysicalDrive" + number};
  }
  if (name.size() == 2 && name[1] == ':' && name[0] >= 'A' && name[0] <= 'Z')
    return WindowsDeviceName{false, name, "\\\\.\\" + name};
  if (name.starts_with(kVolume) && name.size() == kVolume.size() + kGuid + 1 && name.back() == '}')
    return WindowsDeviceName{false, std::string(*part), "\\\\?\\" + std::string(*part)};
  return std::nullopt;
}

}  // namespace diskproof
