// diskpart and format.com as programs, mount points by system calls.
#include "target/filesystem_steps_windows.hpp"

#include <fmt/format.h>

#include "support/error.hpp"
#include "support/system_windows.hpp"
#include "target/files.hpp"
#include "target/tool.hpp"
#include "target/volume_records_windows.hpp"
#include "target/windows_format.hpp"

namespace diskproof {
namespace {

constexpr double kMakeTimeout = 3600;  // s
constexpr int kLooks = 100;            // for the new volume
constexpr DWORD kPause = 100;          // ms
constexpr std::size_t kName = sizeof "\\\\?\\Volume{00000000-0000-0000-0000-000000000000}\\";

std::wstring with_slash(const std::string& folder) { return wide_path(folder + "\\"); }

std::string new_volume(std::uint32_t disk) {
  for (int looks = 0; looks < kLooks; ++looks) {
    for (const WindowsVolume& volume : read_volumes()) {
      if (volume.disks == std::vector<std::uint32_t>{disk} && !volume.name.empty()) return "\\\\?\\" + volume.name;
    }
    Sleep(kPause);
  }
  throw Error(ErrorKind::failed,
              fmt::format("diskpart made a partition on disk {}, but no volume appeared on it", disk));
}

std::string partition_disk(std::uint32_t disk, const std::string& script_path, const std::function<bool()>& stopped,
                           std::string& said) {
  create_file(script_path).append_durably(partition_script(disk), script_path);
  said = run_tool({.argv = partition_command(script_path), .timeout = kMakeTimeout, .stopped = stopped});
  return new_volume(disk);
}

// The name that lasts, of one that has a letter.
std::string name_of_volume(const DeviceFacts& device) {
  return device.links.empty() ? device.path : device.links.front();
}

}  // namespace

std::string make_filesystem(const Filesystem& filesystem, const DeviceFacts& device, const std::string& script_path,
                            const std::function<bool()>& stopped, std::string& said) {
  const bool is_disk = device.kind == DeviceKind::disk;
  const std::string volume =
      is_disk ? partition_disk(device.number.minor, script_path, stopped, said) : name_of_volume(device);
  const std::string& target = !is_disk && device.name.ends_with(':') ? device.name : volume;
  said += run_tool({.argv = format_command(filesystem, target), .timeout = kMakeTimeout, .stopped = stopped});
  return volume;
}

bool is_mount_point(const std::string& folder) {
  wchar_t name[kName + 1] = L"";
  return GetVolumeNameForVolumeMountPointW(with_slash(folder).c_str(), name, kName) != 0;
}

void mount_volume(const std::string& volume, const std::string& folder) {
  if (SetVolumeMountPointW(with_slash(folder).c_str(), wide(volume + "\\").c_str()) == 0) {
    throw Error(ErrorKind::failed, fmt::format("mounting {} at {}: {}", volume, folder, error_text(GetLastError())));
  }
  if (is_mount_point(folder)) return;
  throw Error(ErrorKind::failed, fmt::format("mounting {} said nothing, but nothing is mounted at {}", volume, folder));
}

void unmount(const std::string& folder) {
  if (!is_mount_point(folder) || DeleteVolumeMountPointW(with_slash(folder).c_str()) != 0) return;
  throw Error(ErrorKind::failed,
              fmt::format("unmounting {}: {}; run `diskproof cleanup` later", folder, error_text(GetLastError())));
}

}  // namespace diskproof
