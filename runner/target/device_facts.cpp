// Ways through the table, and words.
#include "target/device_facts.hpp"

#include <algorithm>
#include <charconv>

namespace diskproof {

std::string to_string(DeviceNumber number) { return std::to_string(number.major) + ":" + std::to_string(number.minor); }

DeviceNumber parse_device_number(std::string_view text) {
  DeviceNumber number;
  const char* const end = text.data() + text.size();
  const auto [colon, fault] = std::from_chars(text.data(), end, number.major);
  if (fault != std::errc() || colon == end || *colon != ':') return {};
  const auto [rest, minor_fault] = std::from_chars(colon + 1, end, number.minor);
  return minor_fault == std::errc() && rest == end ? number : DeviceNumber{};
}

std::string_view to_string(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::disk:
      return "disk";
    case DeviceKind::partition:
      return "partition";
    case DeviceKind::loop:
      return "loop";
    case DeviceKind::device_mapper:
      return "dm";
    case DeviceKind::md:
      return "md";
    case DeviceKind::zram:
      return "zram";
    case DeviceKind::other:
      break;
  }
  return "other";
}

const DeviceFacts* DeviceTable::find(DeviceNumber number) const {
  const auto found = std::ranges::find(devices, number, &DeviceFacts::number);
  return found == devices.end() ? nullptr : &*found;
}

const DeviceFacts* DeviceTable::find(std::string_view name) const {
  const auto found = std::ranges::find(devices, name, &DeviceFacts::name);
  return found == devices.end() ? nullptr : &*found;
}

std::vector<const DeviceFacts*> DeviceTable::partitions_of(const DeviceFacts& disk) const {
  std::vector<const DeviceFacts*> partitions;
  for (const DeviceFacts& device : devices) {
    if (device.kind == DeviceKind::partition && device.parent == disk.name) partitions.push_back(&device);
  }
  return partitions;
}

}  // namespace diskproof
