// What Windows says of its disks and volumes, as it says it, and what follows from it. Nothing here calls the system,
// so every rule is tested on records of other machines. Numbers of devices: 1:N is disk N, 2:N*256+P its partition P.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "target/device_facts.hpp"

namespace diskproof {

struct WindowsPartition {
  std::uint32_t number = 0;
  std::string type;  // GPT: the GUID in capitals, without braces; MBR: two hexadecimal digits
};

struct WindowsDisk {
  std::uint32_t number = 0;
  std::vector<std::uint8_t> descriptor;   // StorageDeviceProperty
  std::vector<std::uint8_t> identifiers;  // StorageDeviceIdProperty
  std::uint64_t size = 0;                 // bytes
  std::uint32_t logical_sector = 0, physical_sector = 0;
  bool rotational = false, read_only = false, offline = false;
  std::string write_cache;  // "write back", "write through"; empty: not told
  std::string table;        // "gpt", "mbr", "": neither
  std::vector<WindowsPartition> partitions;
};

struct WindowsVolume {
  std::string name;                       // "Volume{GUID}"; empty: it has none
  std::vector<std::string> mount_points;  // "E:\", "C:\mnt\"; letters first
  std::string letter;                     // "E:", also where nothing is mounted
  std::string filesystem, label;          // empty: none that Windows knows
  std::vector<std::uint32_t> disks;       // that it lies on; two and more: it is striped, spanned or mirrored
  std::uint32_t partition = 0;
  std::uint64_t size = 0;  // bytes
  bool read_only = false;
};

struct WindowsRecords {
  std::vector<WindowsDisk> disks;
  std::vector<WindowsVolume> volumes;
  std::string windows_mount;                     // where Windows is: "C:\"
  std::optional<DeviceNumber> system_partition;  // that the machine starts from
  std::vector<std::string> page_files;           // "\??\C:\pagefile.sys"
};

DeviceTable table_of(const WindowsRecords& records);

// What a path of the device name space names, however it is written.
struct WindowsDeviceName {
  bool is_disk = false;  // else a volume
  std::string name;      // "PhysicalDrive1", "E:", "Volume{…}"
  std::string path;      // "\\.\PhysicalDrive1", "\\.\E:", "\\?\Volume{…}"
};
std::optional<WindowsDeviceName> parse_windows_device(std::string_view path);

// `disk` below 2^24, `partition` below 256.
constexpr DeviceNumber windows_disk_number(std::uint32_t disk) { return {1, disk}; }
constexpr DeviceNumber windows_volume_number(std::uint32_t disk, std::uint32_t partition) {
  return {2, disk * 256 + partition};
}

}  // namespace diskproof
