// Devices are not listed on Windows.
#include "support/error.hpp"
#include "target/device_facts.hpp"

namespace diskproof {

DeviceTable read_devices() { throw Error(ErrorKind::unavailable, "devices cannot be listed on Windows"); }

void look_into(DeviceTable& /*table*/, const std::vector<DeviceNumber>& /*disks*/, std::uint64_t /*patience*/) {}

DevicePath resolve_device(const std::string& path) {
  return {.found = DevicePath::Found::missing, .given = path, .resolved = {}, .named_by = {}, .number = {}};
}

}  // namespace diskproof
