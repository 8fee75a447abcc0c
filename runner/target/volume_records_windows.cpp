// Volumes: by the names that last, then by the letters that lead to none of those.
#include "target/volume_records_windows.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "target/disk_records_windows.hpp"
#include "target/storage_query_windows.hpp"

namespace diskproof {
namespace {

void read_places(const std::wstring& name, WindowsVolume& volume) {
  std::vector<wchar_t> list(32 * 1024);
  DWORD length = 0;
  if (GetVolumePathNamesForVolumeNameW(name.c_str(), list.data(), static_cast<DWORD>(list.size()), &length) == 0)
    return;
  for (const wchar_t* place = list.data(); *place != 0; place += wcslen(place) + 1) {
    volume.mount_points.push_back(utf8(place));
    if (wcslen(place) == 3 && volume.letter.empty()) volume.letter = utf8({place, 2});
  }
}

void read_filesystem(const std::wstring& root, WindowsVolume& volume) {
  wchar_t type[MAX_PATH + 1] = L"", label[MAX_PATH + 1] = L"";
  DWORD flags = 0;
  if (GetDriveTypeW(root.c_str()) == DRIVE_NO_ROOT_DIR) return;
  if (GetVolumeInformationW(root.c_str(), label, MAX_PATH, nullptr, nullptr, &flags, type, MAX_PATH) == 0) return;
  volume.filesystem = utf8(type);
  volume.label = utf8(label);
  volume.read_only = (flags & FILE_READ_ONLY_VOLUME) != 0;
}

// False: it lies on no disk that is known, as a CD or a share does.
bool read_place_on_disk(HANDLE device, WindowsVolume& volume) {
  const std::vector<std::uint8_t> answer = ask(device, IOCTL_VOLUME_GET_VOLUME_DISK_EXTENTS);
  constexpr std::size_t kFirst = offsetof(VOLUME_DISK_EXTENTS, Extents);
  for (std::size_t at = kFirst; at + sizeof(DISK_EXTENT) <= answer.size(); at += sizeof(DISK_EXTENT)) {
    DISK_EXTENT extent{};
    std::memcpy(&extent, answer.data() + at, sizeof extent);
    if (std::ranges::count(volume.disks, extent.DiskNumber) == 0) volume.disks.push_back(extent.DiskNumber);
  }
  const std::vector<std::uint8_t> told = ask(device, IOCTL_STORAGE_GET_DEVICE_NUMBER);
  const auto number = begin_of<STORAGE_DEVICE_NUMBER>(told);
  if (told.empty() || number.DeviceType != FILE_DEVICE_DISK) return !volume.disks.empty();
  volume.partition = number.PartitionNumber < 256 ? number.PartitionNumber : 0;
  if (volume.disks.empty()) volume.disks.push_back(number.DeviceNumber);
  return true;
}

// `path`: "\\.\E:" or "\\?\Volume{…}".
bool read_device(const std::string& path, WindowsVolume& volume) {
  const Handle device = open_device(path, 0);
  if (!device || !read_place_on_disk(device.get(), volume)) return false;
  volume.size = device_size(device.get());
  volume.read_only = volume.read_only || is_write_protected(device.get());
  if (volume.size > 0) return true;
  const Handle readable = open_device(path, GENERIC_READ);
  if (readable) volume.size = device_size(readable.get());
  return true;
}

void add_named_volumes(std::vector<WindowsVolume>& volumes) {
  wchar_t name[MAX_PATH] = L"";
  const HANDLE search = FindFirstVolumeW(name, MAX_PATH);
  if (search == INVALID_HANDLE_VALUE) return;
  do {
    WindowsVolume volume;
    read_places(name, volume);
    std::string plain = utf8(name);  // "\\?\Volume{…}\"
    plain.pop_back();
    volume.name = plain.substr(4);
    if (GetDriveTypeW(name) == DRIVE_CDROM) continue;
    read_filesystem(name, volume);
    if (read_device(plain, volume)) volumes.push_back(std::move(volume));
  } while (FindNextVolumeW(search, name, MAX_PATH) != 0);
  FindVolumeClose(search);
}

void add_letters(std::vector<WindowsVolume>& volumes) {
  for (char letter = 'A'; letter <= 'Z'; ++letter) {
    WindowsVolume volume;
    volume.letter = {letter, ':'};
    const std::wstring root = wide(volume.letter + "\\");
    const UINT type = GetDriveTypeW(root.c_str());
    if (type == DRIVE_REMOTE || type == DRIVE_CDROM) continue;
    if (std::ranges::count(volumes, volume.letter, &WindowsVolume::letter) > 0) continue;
    read_filesystem(root, volume);
    if (!volume.filesystem.empty()) volume.mount_points = {volume.letter + "\\"};
    if (read_device("\\\\.\\" + volume.letter, volume)) volumes.push_back(std::move(volume));
  }
}

std::string registry_value(const wchar_t* key, const wchar_t* name, DWORD type, std::vector<wchar_t>& value) {
  value.assign(16 * 1024, 0);
  auto bytes = static_cast<DWORD>((value.size() - 2) * sizeof(wchar_t));
  if (RegGetValueW(HKEY_LOCAL_MACHINE, key, name, type, nullptr, value.data(), &bytes) != ERROR_SUCCESS) value[0] = 0;
  return utf8(value.data());
}

}  // namespace

std::vector<WindowsVolume> read_volumes() {
  std::vector<WindowsVolume> volumes;
  add_named_volumes(volumes);
  add_letters(volumes);
  return volumes;
}

void read_system_places(WindowsRecords& records) {
  wchar_t folder[MAX_PATH] = L"", mount[MAX_PATH] = L"";
  if (GetSystemWindowsDirectoryW(folder, MAX_PATH) > 0 && GetVolumePathNameW(folder, mount, MAX_PATH) != 0)
    records.windows_mount = utf8(mount);
  std::vector<wchar_t> value;
  const std::string start = registry_value(L"SYSTEM\\Setup", L"SystemPartition", RRF_RT_REG_SZ, value);
  const Handle partition = open_device("\\\\?\\GLOBALROOT" + start, 0);
  if (!start.empty() && partition) {
    const auto number = begin_of<STORAGE_DEVICE_NUMBER>(ask(partition.get(), IOCTL_STORAGE_GET_DEVICE_NUMBER));
    if (number.DeviceType == FILE_DEVICE_DISK)
      records.system_partition = windows_volume_number(number.DeviceNumber, number.PartitionNumber);
  }
  registry_value(L"SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Memory Management", L"ExistingPageFiles",
                 RRF_RT_REG_MULTI_SZ, value);
  for (const wchar_t* one = value.data(); *one != 0; one += wcslen(one) + 1) records.page_files.push_back(utf8(one));
}

}  // namespace diskproof
