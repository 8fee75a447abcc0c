// Targets on Windows: the engine opens the file itself, once per queue. What is open here, without the right to delete
// shared, keeps the file in its place meanwhile.
#include <fmt/format.h>

#include "exec/target_file.hpp"
#include "support/error.hpp"
#include "support/system_windows.hpp"

namespace diskproof {

TargetFile::TargetFile(const std::string& path, TargetAccess access, ExpectedFile expected) : path_(path) {
  const DWORD rights = access.write ? GENERIC_READ | GENERIC_WRITE : GENERIC_READ;
  const HANDLE opened = CreateFileW(wide_path(path).c_str(), rights, FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr,
                                    OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT, nullptr);
  if (opened == INVALID_HANDLE_VALUE) {
    throw Error(ErrorKind::failed, fmt::format("opening {}: {}", path, error_text(GetLastError())));
  }
  Handle file(opened);
  BY_HANDLE_FILE_INFORMATION found;
  constexpr DWORD kNotRegular = FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT;
  if (GetFileType(opened) != FILE_TYPE_DISK || GetFileInformationByHandle(opened, &found) == 0 ||
      (found.dwFileAttributes & kNotRegular) != 0) {
    throw Error(ErrorKind::failed, fmt::format("opening {}: not a regular file any more", path));
  }
  const std::uint64_t index = (std::uint64_t{found.nFileIndexHigh} << 32) | found.nFileIndexLow;
  if (expected.device != 0 && (found.dwVolumeSerialNumber != expected.device || index != expected.inode)) {
    throw Error(ErrorKind::refused,
                fmt::format("opening {}: another file has taken the place of the one that the run prepared", path));
  }
  held_ = reinterpret_cast<std::intptr_t>(file.release());
}

TargetFile::TargetFile(const std::string& path, TargetAccess access, int) : path_(path) {
  const DWORD rights = access.write ? GENERIC_READ | GENERIC_WRITE : GENERIC_READ;
  Handle device(
      CreateFileW(wide(path).c_str(), rights, FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr, OPEN_EXISTING, 0, nullptr));
  if (!device) throw Error(ErrorKind::failed, fmt::format("opening {}: {}", path, error_text(GetLastError())));
  held_ = reinterpret_cast<std::intptr_t>(device.release());
}

TargetFile::~TargetFile() { CloseHandle(reinterpret_cast<HANDLE>(held_)); }

std::int64_t TargetFile::handle() const noexcept { return -1; }

void TargetFile::allocate(std::uint64_t size) {
  FILE_ALLOCATION_INFO wanted;
  wanted.AllocationSize.QuadPart = static_cast<LONGLONG>(size);
  const auto held = reinterpret_cast<HANDLE>(held_);
  if (SetFileInformationByHandle(held, FileAllocationInfo, &wanted, sizeof wanted) != 0) return;
  const DWORD code = GetLastError();
  if (code != ERROR_DISK_FULL) return;  // only not possible here
  throw Error(ErrorKind::failed, fmt::format("reserving {} bytes for {}: {}", size, path_, error_text(code)));
}

}  // namespace diskproof
