// A file as an engine's target on Windows: attach, describe, check alignment, and flush. Error codes of the system
// become enum dp_code here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <windows.h>
// after windows.h
#include <winioctl.h>

#include <diskproof/engine_services.hpp>

namespace dp {

constexpr dp_code code_from_windows(DWORD error) noexcept {
  switch (error) {
    case ERROR_SUCCESS:
      return DP_OK;
    case ERROR_INVALID_PARAMETER:
    case ERROR_INVALID_USER_BUFFER:
    case ERROR_NOACCESS:
    case ERROR_NEGATIVE_SEEK:
      return DP_EINVAL;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
      return DP_ENOSPC;
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
      return DP_ENOENT;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
      return DP_EEXIST;
    case ERROR_ACCESS_DENIED:
    case ERROR_WRITE_PROTECT:
    case ERROR_PRIVILEGE_NOT_HELD:
      return DP_EACCES;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
    case ERROR_NO_SYSTEM_RESOURCES:
    case ERROR_WORKING_SET_QUOTA:
    case ERROR_TOO_MANY_OPEN_FILES:
      return DP_ENOMEM;
    case ERROR_NOT_SUPPORTED:
    case ERROR_INVALID_FUNCTION:
    case ERROR_CALL_NOT_IMPLEMENTED:
      return DP_ENOTSUP;
    case ERROR_SEM_TIMEOUT:
    case ERROR_TIMEOUT:
      return DP_ETIMEDOUT;
    case ERROR_OPERATION_ABORTED:
      return DP_ECANCELED;
    case ERROR_DEV_NOT_EXIST:
    case ERROR_DEVICE_NOT_CONNECTED:
    case ERROR_NETNAME_DELETED:
    case ERROR_BAD_NETPATH:
    case ERROR_UNEXP_NET_ERR:
    case ERROR_NOT_READY:
      return DP_ENODEV;
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
    case ERROR_BUSY:
      return DP_EBUSY;
    case ERROR_DIRECTORY:
      return DP_ENOTDIR;
    case ERROR_DIR_NOT_EMPTY:
      return DP_ENOTEMPTY;
    case ERROR_LOGON_FAILURE:
      return DP_EAUTH;
    case ERROR_CRC:
    case ERROR_IO_DEVICE:
    case ERROR_READ_FAULT:
    case ERROR_WRITE_FAULT:
    case ERROR_SECTOR_NOT_FOUND:
    case ERROR_GEN_FAILURE:
    case ERROR_FILE_CORRUPT:
      return DP_EIO;
    default:
      return DP_EOTHER;
  }
}

inline std::wstring to_utf16(std::string_view utf8) {
  const int length = static_cast<int>(utf8.size());
  std::wstring text(static_cast<std::size_t>(MultiByteToWideChar(CP_UTF8, 0, utf8.data(), length, nullptr, 0)), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, utf8.data(), length, text.data(), static_cast<int>(text.size()));
  return text;
}

// A path as the system takes it at any length: one too long for its usual form gets the prefix that lifts the limit.
inline std::wstring to_windows_path(std::string_view utf8) {
  constexpr std::size_t kUsual = MAX_PATH - 12;
  std::wstring path = to_utf16(utf8);
  for (wchar_t& letter : path) letter = letter == L'/' ? L'\\' : letter;
  const bool has_prefix = path.starts_with(L"\\\\?\\") || path.starts_with(L"\\\\.\\");
  if (path.size() < kUsual || has_prefix) return path;
  std::wstring whole(GetFullPathNameW(path.c_str(), 0, nullptr, nullptr), L'\0');
  whole.resize(GetFullPathNameW(path.c_str(), static_cast<DWORD>(whole.size()), whole.data(), nullptr));
  if (whole.empty()) return path;
  return whole.starts_with(L"\\\\") ? L"\\\\?\\UNC" + whole.substr(1) : L"\\\\?\\" + whole;
}

// "open D:\a: The system cannot find the file specified (error 2)"
[[noreturn]] inline void throw_windows(DWORD error, const std::string& tried) {
  wchar_t wide[256];
  char text[768] = "";
  constexpr DWORD kHow = FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS;
  DWORD length = FormatMessageW(kHow, nullptr, error, 0, wide, 256, nullptr);
  while (length > 0 && (wide[length - 1] <= L' ' || wide[length - 1] == L'.')) --length;
  const int bytes =
      WideCharToMultiByte(CP_UTF8, 0, wide, static_cast<int>(length), text, sizeof text, nullptr, nullptr);
  const std::string words(text, static_cast<std::size_t>(bytes));
  throw EngineError(code_from_windows(error), tried + ": " + words + " (error " + std::to_string(error) + ")", error);
}

class WindowsFile {
 public:
  // `more_flags` such as FILE_FLAG_OVERLAPPED.
  explicit WindowsFile(const dp_target& target, DWORD more_flags = 0) : flags_(target.flags) {
    const DWORD rights = (flags_ & DP_TARGET_WRITE) != 0 ? GENERIC_READ | GENERIC_WRITE : GENERIC_READ;
    handle_ = CreateFileW(to_windows_path(target.spec).c_str(), rights, FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr,
                          OPEN_EXISTING, more_flags | open_flags(flags_), nullptr);
    if (handle_ == INVALID_HANDLE_VALUE) throw_windows(GetLastError(), std::string("open ") + target.spec);
    if (is_device()) {
      DWORD got = 0;  // lets a volume be read and written to its last sector
      DeviceIoControl(handle_, FSCTL_ALLOW_EXTENDED_DASD_IO, nullptr, 0, nullptr, 0, &got, nullptr);
      alignment_ = sector_of_device();
      return;
    }
    BY_HANDLE_FILE_INFORMATION found;
    constexpr DWORD kNotRegular = FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT;
    if (GetFileType(handle_) != FILE_TYPE_DISK || GetFileInformationByHandle(handle_, &found) == 0 ||
        (found.dwFileAttributes & kNotRegular) != 0) {
      close();
      throw EngineError(DP_ENOTSUP, std::string(target.spec) + ": not a regular file");
    }
    if ((flags_ & DP_TARGET_DIRECT) != 0) alignment_ = sector_size();
  }
  WindowsFile(WindowsFile&& other) noexcept
      : handle_(std::exchange(other.handle_, INVALID_HANDLE_VALUE)),
        flags_(other.flags_),
        alignment_(other.alignment_) {}
  WindowsFile(const WindowsFile&) = delete;
  WindowsFile& operator=(const WindowsFile&) = delete;
  WindowsFile& operator=(WindowsFile&&) = delete;
  ~WindowsFile() { close(); }

  [[nodiscard]] HANDLE handle() const noexcept { return handle_; }

  // What unbuffered I/O asks of offset, length and buffer. Checked here, as not every system says so by itself.
  [[nodiscard]] bool is_aligned(const dp_io& io) const noexcept {
    return (io.offset | io.length | reinterpret_cast<std::uintptr_t>(io.data)) % alignment_ == 0;
  }

  void describe(dp_target_info& info) const {
    info.offset_alignment = info.memory_alignment = alignment_;
    if (is_device()) return describe_device(info);
    BY_HANDLE_FILE_INFORMATION found;
    if (GetFileInformationByHandle(handle_, &found) == 0) throw_windows(GetLastError(), "look at the file");
    info.size = (std::uint64_t{found.nFileSizeHigh} << 32) | found.nFileSizeLow;
    info.volume_id = found.dwVolumeSerialNumber;
    info.file_id = (std::uint64_t{found.nFileIndexHigh} << 32) | found.nFileIndexLow;
  }

  static DWORD open_flags(std::uint32_t flags) noexcept {
    DWORD open = (flags & DP_TARGET_DEVICE) != 0 ? 0 : FILE_FLAG_OPEN_REPARSE_POINT;
    if ((flags & DP_TARGET_DIRECT) != 0) open |= FILE_FLAG_NO_BUFFERING;
    if ((flags & (DP_TARGET_DSYNC | DP_TARGET_SYNC)) != 0) open |= FILE_FLAG_WRITE_THROUGH;
    return open;
  }

 private:
  [[nodiscard]] bool is_device() const noexcept { return (flags_ & DP_TARGET_DEVICE) != 0; }

  // The answer; all zero where there is none.
  template <class Answer>
  [[nodiscard]] Answer ask(DWORD control) const noexcept {
    Answer answer{};
    DWORD got = 0;
    if (DeviceIoControl(handle_, control, nullptr, 0, &answer, sizeof answer, &got, nullptr) == 0) return Answer{};
    return answer;
  }

  [[nodiscard]] std::uint32_t sector_of_device() const noexcept {
    const DWORD bytes = ask<DISK_GEOMETRY>(IOCTL_DISK_GET_DRIVE_GEOMETRY).BytesPerSector;
    return bytes == 0 ? 4096 : bytes;
  }

  // A file that stands for a volume tells its own size.
  void describe_device(dp_target_info& info) const noexcept {
    LARGE_INTEGER size = ask<GET_LENGTH_INFORMATION>(IOCTL_DISK_GET_LENGTH_INFO).Length;
    if (size.QuadPart == 0 && GetFileSizeEx(handle_, &size) == 0) size.QuadPart = 0;
    const auto place = ask<STORAGE_DEVICE_NUMBER>(IOCTL_STORAGE_GET_DEVICE_NUMBER);
    info.size = static_cast<std::uint64_t>(size.QuadPart);
    info.volume_id = place.DeviceType;
    info.file_id = (std::uint64_t{place.DeviceNumber} << 32) | place.PartitionNumber;
  }

  // Of the volume; 4096 where it does not say, which suits every disk.
  [[nodiscard]] std::uint32_t sector_size() const noexcept {
    wchar_t name[1024], root[1024];
    DWORD per_cluster = 0, bytes = 0, free = 0, total = 0;
    const DWORD length = GetFinalPathNameByHandleW(handle_, name, 1024, 0);
    if (length == 0 || length >= 1024 || GetVolumePathNameW(name, root, 1024) == 0) return 4096;
    if (GetDiskFreeSpaceW(root, &per_cluster, &bytes, &free, &total) == 0 || bytes == 0) return 4096;
    return bytes;
  }

  void close() noexcept {
    if (handle_ != INVALID_HANDLE_VALUE) CloseHandle(handle_);
    handle_ = INVALID_HANDLE_VALUE;
  }

  HANDLE handle_ = INVALID_HANDLE_VALUE;
  std::uint32_t flags_;
  std::uint32_t alignment_ = 1;  // bytes
};

}  // namespace dp
