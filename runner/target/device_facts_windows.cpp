// Devices of Windows: physical drives and volumes.
#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "support/error.hpp"
#include "target/device_facts.hpp"
#include "target/disk_records_windows.hpp"
#include "target/files.hpp"
#include "target/storage_query_windows.hpp"
#include "target/volume_records_windows.hpp"

namespace diskproof {
namespace {

using Found = DevicePath::Found;
constexpr std::string_view kDisk = "PhysicalDrive";

std::vector<std::uint32_t> disk_numbers() {
  std::vector<wchar_t> names(64 * 1024);
  const DWORD length = QueryDosDeviceW(nullptr, names.data(), static_cast<DWORD>(names.size()));
  std::vector<std::uint32_t> numbers;
  for (const wchar_t* name = names.data(); length > 0 && *name != 0; name += wcslen(name) + 1) {
    const std::string text = utf8(name);
    std::uint32_t number = 0;
    if (!text.starts_with(kDisk)) continue;
    std::from_chars(text.data() + kDisk.size(), text.data() + text.size(), number);
    numbers.push_back(number);
  }
  return numbers;
}

Found found_by(DWORD code) {
  return code == ERROR_ACCESS_DENIED || code == ERROR_SHARING_VIOLATION ? Found::not_permitted : Found::missing;
}

// What is no device: a file, a folder, nothing.
DevicePath plain_path(const std::string& path) {
  DevicePath out{.found = Found::missing, .given = path, .resolved = {}, .named_by = {}, .number = {}};
  const DWORD attributes = GetFileAttributesW(wide_path(path).c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES) {
    out.found = GetLastError() == ERROR_ACCESS_DENIED ? Found::not_permitted : Found::missing;
  } else {
    out.found = (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0 ? Found::directory : Found::regular_file;
  }
  return out;
}

void look_into(DeviceFacts& device) {
  const Handle opened = open_device(device.path, GENERIC_READ | GENERIC_WRITE);
  device.looked_into = true;
  if (opened) return;
  const DWORD code = GetLastError();
  device.forbidden = code == ERROR_ACCESS_DENIED;
  if (code != ERROR_WRITE_PROTECT) device.signatures_fault = error_text(code);
}

}  // namespace

DeviceTable read_devices() {
  WindowsRecords records;
  for (const std::uint32_t number : disk_numbers()) {
    if (auto disk = read_disk(number)) records.disks.push_back(std::move(*disk));
  }
  records.volumes = read_volumes();
  read_system_places(records);
  return table_of(records);
}

void look_into(DeviceTable& table, const std::vector<DeviceNumber>& disks, std::uint64_t /*patience*/) {
  for (const DeviceNumber& number : disks) {
    for (DeviceFacts& device : table.devices) {
      if (device.number == number) look_into(device);
    }
  }
}

DevicePath resolve_device(const std::string& path) {
  const auto name = parse_windows_device(path);
  if (!name) return plain_path(path);
  DevicePath out{.found = Found::missing, .given = path, .resolved = name->path, .named_by = name->path, .number = {}};
  const Handle device = open_device(name->path, 0);
  if (!device) {
    out.found = found_by(GetLastError());
    return out;
  }
  const DeviceTable table = read_devices();
  out.found = Found::other;
  for (const DeviceFacts& facts : table.devices) {
    const bool same = facts.name == name->name || std::ranges::count(facts.links, name->path) > 0;
    if (!same) continue;
    out.found = Found::block_device;
    out.number = facts.number;
  }
  return out;
}

}  // namespace diskproof
