// FSCTL_LOCK_VOLUME, FSCTL_DISMOUNT_VOLUME.
#include "target/device_claim_windows.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "support/error.hpp"
#include "target/storage_query_windows.hpp"

namespace diskproof {
namespace {

constexpr int kTries = 20;        // of a lock: indexers and scanners let go within a second or two
constexpr DWORD kPause = 100;     // ms
constexpr DWORD kEnds = 1 << 20;  // bytes

bool control(HANDLE device, DWORD code) {
  DWORD got = 0;
  return DeviceIoControl(device, code, nullptr, 0, nullptr, 0, &got, nullptr) != 0;
}

Handle open_for_writing(const std::string& path) {
  Handle device = open_device(path, GENERIC_READ | GENERIC_WRITE);
  const DWORD code = GetLastError();
  if (device) return device;
  throw Error(code == ERROR_ACCESS_DENIED ? ErrorKind::unavailable : ErrorKind::failed,
              fmt::format("opening {} for writing: {}{}", path, error_text(code),
                          code == ERROR_ACCESS_DENIED ? "; run as administrator" : ""));
}

void zero(HANDLE device, std::uint64_t offset, DWORD length, const std::string& path) {
  // Aligned for every sector size; pages are zero.
  void* const nothing = VirtualAlloc(nullptr, kEnds, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE);
  OVERLAPPED at{};
  at.Offset = static_cast<DWORD>(offset);
  at.OffsetHigh = static_cast<DWORD>(offset >> 32);
  DWORD written = 0;
  const BOOL worked = nothing != nullptr ? WriteFile(device, nothing, length, &written, &at) : FALSE;
  const DWORD code = GetLastError();
  if (nothing != nullptr) VirtualFree(nothing, 0, MEM_RELEASE);
  if (worked != 0) return;
  throw Error(ErrorKind::failed, fmt::format("clearing {} at byte {}: {}", path, offset, error_text(code)));
}

}  // namespace

void clear_ends(HANDLE device, std::uint64_t size, const std::string& path) {
  const auto length = static_cast<DWORD>(std::min<std::uint64_t>(size / 4096 * 4096, kEnds));
  zero(device, 0, length, path);
  if (size > length) zero(device, (size - length) / 4096 * 4096, length, path);
  FlushFileBuffers(device);
}

Handle lock_volume(const DeviceFacts& volume) {
  Handle handle = open_for_writing(volume.path);
  for (int tries = kTries; !control(handle.get(), FSCTL_LOCK_VOLUME);) {
    const DWORD code = GetLastError();
    if (--tries == 0) {
      throw Error(ErrorKind::refused,
                  fmt::format("{} cannot be locked: {}; end what has files open on it, and try again", volume.path,
                              error_text(code)));
    }
    Sleep(kPause);
  }
  // Where nothing is mounted there is nothing to dismount, which some drivers call an error.
  if (control(handle.get(), FSCTL_DISMOUNT_VOLUME) || volume.signatures.empty()) return handle;
  throw Error(ErrorKind::refused, fmt::format("{} cannot be dismounted: {}", volume.path, error_text(GetLastError())));
}

DeviceClaim::DeviceClaim(const DeviceFacts& device, const DeviceTable& table)
    : is_disk_(device.kind == DeviceKind::disk) {
  if (is_disk_) {
    for (const DeviceFacts* volume : table.partitions_of(device)) volumes_.push_back(lock_volume(*volume));
    device_ = open_for_writing(device.path);
    return;
  }
  device_ = lock_volume(device);
  if (!device.signatures.empty()) clear_ends(device_.get(), device.size, device.path);
  control(device_.get(), FSCTL_UNLOCK_VOLUME);
}

DeviceClaim::~DeviceClaim() {
  volumes_.clear();
  if (is_disk_) control(device_.get(), IOCTL_DISK_UPDATE_PROPERTIES);
}

}  // namespace diskproof
