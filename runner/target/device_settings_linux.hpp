// Settings of a device's queue, by sysfs.
#pragma once

#include <cstdint>
#include <string>

#include "target/device_facts.hpp"

namespace diskproof {

// The file of a setting ("scheduler", "read_ahead_kb"); a partition has that of its disk.
std::string setting_file(DeviceNumber device, const std::string& setting);

// The value in use. Throws Error{failed}.
std::string read_setting(const std::string& file);
// Throws Error{failed} that names the values the device takes, where the kernel tells.
void write_setting(const std::string& file, const std::string& value);

// Operations that the device has been given and not ended; 0 where that is not known.
std::uint64_t in_flight(DeviceNumber device);

// Discards all of the open device; `secure`: so that it cannot be read again. Throws Error{unavailable} where the
// device cannot.
void discard_device(int descriptor, std::uint64_t size, bool secure);

}  // namespace diskproof
