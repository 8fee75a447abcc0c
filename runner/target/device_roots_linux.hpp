// Where Linux tells of its devices, with roots that tests may set to a tree of their own.
#pragma once

#include <string>

#include "target/device_facts.hpp"

namespace diskproof {

struct DeviceRoots {
  std::string sys = "/sys";
  std::string proc = "/proc";
  std::string dev = "/dev";
  std::string udev = "/run/udev/data";
};

DeviceTable read_devices(const DeviceRoots& roots);

// Serial, WWN, model and firmware, from where each kind of device has them; udev's word where the kernel has none.
void read_identity(DeviceFacts& device, const DeviceRoots& roots);

// Who uses which device: mounts in all namespaces that processes are in, swap, btrfs and ZFS pools.
void read_uses(DeviceTable& table, const DeviceRoots& roots);

// By libblkid, from the device itself, which is opened for reading only.
void read_signatures(DeviceFacts& device);

// The first line of a small file, without blanks at its ends; empty when it cannot be read.
std::string read_line(const std::string& path);

}  // namespace diskproof
