// What the system knows of its block devices: values without a descriptor, read in one go. A device is known by its
// number; names and links only lead to it. What could not be learnt is empty or 0.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace diskproof {

struct DeviceNumber {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;

  auto operator<=>(const DeviceNumber&) const = default;
};
std::string to_string(DeviceNumber number);               // "8:17"
DeviceNumber parse_device_number(std::string_view text);  // 0:0 for what is none

enum class DeviceKind { disk, partition, loop, device_mapper, md, zram, other };
std::string_view to_string(DeviceKind kind);

// What a program left on a device so that it is known again: a file system, a RAID or LVM member, a partition table.
struct Signature {
  std::string type;   // "ext4", "LVM2_member", "zfs_member", "gpt"
  std::string label;  // of a zfs_member: the name of the pool
  std::string uuid;
};

struct MountUse {
  std::string mount_point;
  std::string type;           // "ext4"
  std::uint64_t process = 0;  // one that sees it in another mount namespace; 0: mounted in ours
};

struct DeviceFacts {
  DeviceNumber number;
  std::string name;  // of the kernel: "sda1", "dm-0"
  std::string path;  // "/dev/sda1"
  DeviceKind kind = DeviceKind::other;
  std::vector<std::string> links;  // "/dev/disk/by-id/…", "/dev/mapper/…", sorted; by-id first

  // A partition has those of its disk.
  std::string serial, wwn, model, firmware;
  std::uint64_t size = 0;                                 // bytes
  std::uint32_t logical_sector = 0, physical_sector = 0;  // bytes
  bool rotational = false, read_only = false, removable = false;
  std::string scheduler;         // the one in use: "mq-deadline", "none"
  std::uint64_t read_ahead = 0;  // bytes
  std::string write_cache;       // "write back", "write through"
  std::uint64_t sequence = 0;    // counts devices since boot: a number that is used again has another; 0: not known

  std::string parent;                // partition: kernel name of its disk
  std::uint32_t partition = 0;       // its number; 0: no partition
  std::vector<std::string> holders;  // kernel names of the devices that are made of it
  std::string mapping;               // device_mapper: who made it and its name, "LVM-…", "CRYPT-…", "mpath-…"
  std::string mapped_name;           // device_mapper: "vg-data"
  std::string backing_file;          // loop

  std::vector<MountUse> mounts;
  bool swap = false;
  std::string btrfs;         // UUID of the mounted btrfs that it is a member of
  bool looked_into = false;  // were the signatures read?
  std::vector<Signature> signatures;
  std::string signatures_fault;  // why they could not be read
  bool forbidden = false;        // for want of a right

  // Of Windows only, from windows_records.cpp.
  std::string bus;         // "NVMe", "SATA", "USB"
  std::string system_use;  // what the system itself needs it for: "Windows"
  std::string page_file;   // "C:\\pagefile.sys"
  std::string managed_by;  // what else has parts of it: "dynamic disks", "a storage pool"
  bool offline = false;
};

// All block devices of a system, partitions too, by name.
struct DeviceTable {
  std::vector<DeviceFacts> devices;
  std::vector<std::string> zfs_pools;  // imported; which devices they are on, only signatures tell
  bool of_windows = false;             // then advice is given in its words, and a volume is taken by its lock

  [[nodiscard]] const DeviceFacts* find(DeviceNumber number) const;
  [[nodiscard]] const DeviceFacts* find(std::string_view name) const;
  [[nodiscard]] std::vector<const DeviceFacts*> partitions_of(const DeviceFacts& disk) const;
};

// Of this machine, without looking into any device, so that a broken disk keeps no job on another one waiting. Throws
// Error{unavailable} where devices cannot be listed at all.
DeviceTable read_devices();

inline constexpr std::uint64_t kLookPatience = 10'000'000'000;  // ns: also a disk that has to spin up first
// Reads the signatures of disks and their partitions from themselves, which takes a right; nothing is written. What one
// holds that does not answer in `patience` ns is not known, and why is said.
void look_into(DeviceTable& table, const std::vector<DeviceNumber>& disks, std::uint64_t patience = kLookPatience);

// Where a path leads.
struct DevicePath {
  enum class Found { missing, block_device, directory, regular_file, other, not_permitted } found = Found::missing;
  std::string given;     // as in the job
  std::string resolved;  // without links and `..`; empty when there is nothing
  // The first place below /dev on the way there: a link that udev keeps, or the kernel's own name, which can move.
  std::string named_by;
  DeviceNumber number;  // block_device
};
DevicePath resolve_device(const std::string& path);

}  // namespace diskproof
