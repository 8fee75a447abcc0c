// Mappings by file mapping objects: the view keeps the file.
#include <fmt/format.h>
#include <utility>

#include "integrity/shared_mapping.hpp"
#include "support/error.hpp"
#include "support/system_windows.hpp"

namespace diskproof {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw Error(ErrorKind::unavailable, fmt::format("{} {}: {}", what, path, error_text(GetLastError())));
}

// The size of the file, once it is what `mode` wants.
std::uint64_t prepared_size(HANDLE file, const std::string& path, SharedMapping::Mode mode, std::uint64_t size) {
  LARGE_INTEGER present{};
  if (GetFileSizeEx(file, &present) == 0) fail(path, "looking at");
  const auto found = static_cast<std::uint64_t>(present.QuadPart);
  if (mode == SharedMapping::Mode::make) {
    if (found == 0 || found == size) return size;
    throw Error(ErrorKind::unavailable, fmt::format("mapping {}: it has {} bytes instead of {}", path, found, size));
  }
  if (found == 0) throw Error(ErrorKind::unavailable, "mapping " + path + ": it is empty");
  return found;
}

}  // namespace

SharedMapping::SharedMapping(const std::string& path, Mode mode, std::uint64_t size) {
  const Handle file(CreateFileW(
      wide_path(path).c_str(), GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
      nullptr, mode == Mode::make ? OPEN_ALWAYS : OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
  if (!file) fail(path, "opening");
  size_ = prepared_size(file.get(), path, mode, size);
  const auto high = static_cast<DWORD>(size_ >> 32);
  const Handle mapping(CreateFileMappingW(file.get(), nullptr, PAGE_READWRITE, high, static_cast<DWORD>(size_),
                                          nullptr));  // enlarges the file
  if (mapping.get() == nullptr) fail(path, fmt::format("mapping {} bytes of", size_));
  void* const view = MapViewOfFile(mapping.get(), FILE_MAP_READ | FILE_MAP_WRITE, 0, 0, size_);
  if (view == nullptr) fail(path, fmt::format("mapping {} bytes of", size_));
  data_ = static_cast<std::byte*>(view);
}

SharedMapping::~SharedMapping() {
  if (data_ != nullptr) UnmapViewOfFile(data_);
}

SharedMapping::SharedMapping(SharedMapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}

}  // namespace diskproof
