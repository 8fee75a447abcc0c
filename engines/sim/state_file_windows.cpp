// State files on Windows: sparse, shared between the processes of a run.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>
#include <windows.h>
#include <winioctl.h>

#include "state_file.hpp"

namespace sim {
namespace {

HANDLE handle_of(std::intptr_t handle) noexcept { return reinterpret_cast<HANDLE>(handle); }

dp_code code_of(DWORD error) noexcept {
  switch (error) {
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
      return DP_ENOSPC;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
      return DP_EACCES;
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
      return DP_ENOENT;
    case ERROR_NOT_ENOUGH_MEMORY:
      return DP_ENOMEM;
    default:
      return DP_EIO;
  }
}

Failure last_failure() noexcept {
  const DWORD error = ::GetLastError();
  return {code_of(error), static_cast<std::uint32_t>(error)};
}

std::wstring wide(const std::string& text) {
  const int length = ::MultiByteToWideChar(CP_UTF8, 0, text.data(), static_cast<int>(text.size()), nullptr, 0);
  std::wstring result(static_cast<std::size_t>(length), L'\0');
  ::MultiByteToWideChar(CP_UTF8, 0, text.data(), static_cast<int>(text.size()), result.data(), length);
  return result;
}

// A name of its own in the folder for temporary files.
std::wstring temporary_path() {
  wchar_t folder[MAX_PATH + 1], path[MAX_PATH + 1];
  if (::GetTempPathW(MAX_PATH + 1, folder) == 0 || ::GetTempFileNameW(folder, L"dps", 0, path) == 0) return {};
  return path;
}

std::intptr_t open_it(const char* folder, const std::string& path) {
  const DWORD share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  const DWORD flags = folder == nullptr ? FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE : FILE_ATTRIBUTE_NORMAL;
  const HANDLE file = ::CreateFileW((folder == nullptr ? temporary_path() : wide(path)).c_str(),
                                    GENERIC_READ | GENERIC_WRITE, share, nullptr, OPEN_ALWAYS, flags, nullptr);
  DWORD ignored = 0;  // a file system that has no sparse files works as well, and takes the space
  if (file != INVALID_HANDLE_VALUE)
    ::DeviceIoControl(file, FSCTL_SET_SPARSE, nullptr, 0, nullptr, 0, &ignored, nullptr);
  return reinterpret_cast<std::intptr_t>(file);
}

OVERLAPPED at(std::uint64_t offset) noexcept {
  OVERLAPPED place{};
  place.Offset = static_cast<DWORD>(offset);
  place.OffsetHigh = static_cast<DWORD>(offset >> 32);
  return place;
}

constexpr std::uint64_t kLockPlace = std::uint64_t{1} << 62;  // far from what is read and written

bool lock(HANDLE file, DWORD flags) {
  OVERLAPPED place = at(kLockPlace);
  return ::LockFileEx(file, flags, 0, 1, 0, &place) != 0;
}

}  // namespace

StateFile::StateFile(const char* folder, const std::string& name)
    : path_(folder == nullptr ? "memory for " + name : std::string(folder) + "\\" + name),
      handle_(open_it(folder, path_)) {
  if (handle_of(handle_) == INVALID_HANDLE_VALUE) fail("open");
}

StateFile::~StateFile() {
  if (mapped_ != nullptr) ::UnmapViewOfFile(mapped_);
  ::CloseHandle(handle_of(handle_));
}

void StateFile::fail(const std::string& tried) const {
  const Failure failure = last_failure();
  throw dp::EngineError(failure.code, tried + " " + path_ + ": error " + std::to_string(failure.os_code),
                        failure.os_code);
}

bool StateFile::claim() {
  if (lock(handle_of(handle_), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY)) return true;
  if (::GetLastError() != ERROR_LOCK_VIOLATION && ::GetLastError() != ERROR_IO_PENDING) fail("lock");
  return false;
}

void StateFile::share() {
  OVERLAPPED place = at(kLockPlace);
  ::UnlockFileEx(handle_of(handle_), 0, 1, 0, &place);  // fails where there was no claim
  if (!lock(handle_of(handle_), 0)) fail("lock");
}

void* StateFile::map(std::size_t length) {
  const HANDLE mapping =
      ::CreateFileMappingW(handle_of(handle_), nullptr, PAGE_READWRITE, 0, static_cast<DWORD>(length), nullptr);
  if (mapping == nullptr) fail("map");
  mapped_ = ::MapViewOfFile(mapping, FILE_MAP_READ | FILE_MAP_WRITE, 0, 0, length);
  ::CloseHandle(mapping);  // a view keeps it
  if (mapped_ == nullptr) fail("map");
  mapped_length_ = length;
  return mapped_;
}

Failure StateFile::read(std::uint64_t offset, std::byte* data, std::size_t length) const noexcept {
  while (length > 0) {
    OVERLAPPED place = at(offset);
    DWORD got = 0;
    const auto part = static_cast<DWORD>(std::min<std::size_t>(length, 1u << 30));
    const bool done = ::ReadFile(handle_of(handle_), data, part, &got, &place) != 0;
    if (!done && ::GetLastError() != ERROR_HANDLE_EOF) return last_failure();
    if (got == 0) {
      std::memset(data, 0, length);
      return {};
    }
    data += got;
    offset += got;
    length -= got;
  }
  return {};
}

Failure StateFile::write(std::uint64_t offset, const std::byte* data, std::size_t length) noexcept {
  while (length > 0) {
    OVERLAPPED place = at(offset);
    DWORD put = 0;
    const auto part = static_cast<DWORD>(std::min<std::size_t>(length, 1u << 30));
    if (::WriteFile(handle_of(handle_), data, part, &put, &place) == 0) return last_failure();
    data += put;
    offset += put;
    length -= put;
  }
  return {};
}

Failure StateFile::zero(std::uint64_t offset, std::uint64_t length) noexcept {
  if (length == 0) return {};
  FILE_ZERO_DATA_INFORMATION range{};
  range.FileOffset.QuadPart = static_cast<LONGLONG>(offset);
  range.BeyondFinalZero.QuadPart = static_cast<LONGLONG>(offset + length);
  DWORD ignored = 0;
  const bool done = ::DeviceIoControl(handle_of(handle_), FSCTL_SET_ZERO_DATA, &range, sizeof range, nullptr, 0,
                                      &ignored, nullptr) != 0;
  if (done) return {};
  const DWORD error = ::GetLastError();
  if (error != ERROR_INVALID_FUNCTION && error != ERROR_NOT_SUPPORTED) return last_failure();
  LARGE_INTEGER size{};
  if (::GetFileSizeEx(handle_of(handle_), &size) == 0) return last_failure();
  return write_zeros(offset, std::min(offset + length, static_cast<std::uint64_t>(size.QuadPart)));
}

}  // namespace sim
