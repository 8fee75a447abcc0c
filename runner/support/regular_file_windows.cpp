// A pipe or a console opens like a file, and is told by its type.
#include <algorithm>
#include <fmt/format.h>

#include "support/error.hpp"
#include "support/regular_file.hpp"
#include "support/system_windows.hpp"

namespace diskproof {

namespace {

[[noreturn]] void fail_file(const char* what, const std::string& path, const std::string& why) {
  throw Error(ErrorKind::unavailable, fmt::format("{} {}: {}", what, path, why));
}

}  // namespace

RegularFile::RegularFile(const std::string& path) : path_(path), handle_(0) {
  Handle file(CreateFileW(wide_path(path).c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                          nullptr, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr));
  if (!file) fail_file("opening", path, error_text(GetLastError()));
  if (GetFileType(file.get()) != FILE_TYPE_DISK) fail_file("opening", path, "it is a pipe or a device, not a file");
  LARGE_INTEGER size{};
  if (GetFileSizeEx(file.get(), &size) == 0) fail_file("opening", path, error_text(GetLastError()));
  size_ = static_cast<std::uint64_t>(size.QuadPart);
  handle_ = reinterpret_cast<std::intptr_t>(file.release());
}

RegularFile::~RegularFile() { CloseHandle(reinterpret_cast<HANDLE>(handle_)); }

std::size_t RegularFile::read(char* into, std::size_t most) {
  constexpr std::size_t kMost = std::size_t{1} << 30;  // a DWORD counts
  std::size_t had = 0;
  while (had < most) {
    DWORD got = 0;
    const auto wanted = static_cast<DWORD>(std::min(most - had, kMost));
    if (ReadFile(reinterpret_cast<HANDLE>(handle_), into + had, wanted, &got, nullptr) == 0) {
      fail_file("reading", path_, error_text(GetLastError()));
    }
    if (got == 0) break;
    had += got;
  }
  return had;
}

}  // namespace diskproof
