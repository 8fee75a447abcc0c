// The answers to IOCTL_STORAGE_QUERY_PROPERTY, read without trust in their offsets: drivers fill them, and not all
// well.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace diskproof {

struct DiskDescriptor {
  std::string model, serial, firmware;
  std::string bus;  // "NVMe"; empty: not told
  bool removable = false;
};

// STORAGE_DEVICE_DESCRIPTOR.
DiskDescriptor parse_disk_descriptor(std::span<const std::uint8_t> bytes);

// STORAGE_DEVICE_ID_DESCRIPTOR: "naa.5002538e40b1c2d3" or "eui.0025385b71b00f2e" of the device itself; empty: none.
std::string parse_wwn(std::span<const std::uint8_t> bytes);

}  // namespace diskproof
