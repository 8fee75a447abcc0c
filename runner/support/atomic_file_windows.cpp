// Temporary file, flush, rename. A temporary file of a living process is held open, a leftover is not.
#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "support/atomic_file.hpp"
#include "support/error.hpp"
#include "support/path_text.hpp"
#include "support/system_windows.hpp"

namespace diskproof {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& target, const std::string& why, const std::string& advice) {
  throw Error(ErrorKind::failed, fmt::format("cannot write {}: {}; {}", text_of(target), why, advice));
}

[[noreturn]] void fail_with_code(const fs::path& target, const std::string& what, DWORD code) {
  fail(target, fmt::format("{}: {}", what, error_text(code)),
       code == ERROR_DISK_FULL || code == ERROR_HANDLE_DISK_FULL ? "free some space or name another place"
                                                                 : "name a folder that exists and can be written to");
}

HANDLE handle_of(std::intptr_t handle) { return reinterpret_cast<HANDLE>(handle); }

fs::path folder_of(const fs::path& target) { return target.has_parent_path() ? target.parent_path() : fs::path("."); }

std::string temporary_prefix(const fs::path& target) { return "." + text_of(target.filename()) + ".diskproof-"; }

void check_target(const fs::path& target) {
  if (!target.has_filename()) fail(target, "it names a folder", "name a file");
  const DWORD found = GetFileAttributesW(wide_path(text_of(target)).c_str());
  if (found == INVALID_FILE_ATTRIBUTES) return;  // not there yet, or opening beside it will say why not
  constexpr DWORD kNotRegular = FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT | FILE_ATTRIBUTE_DEVICE;
  if ((found & kNotRegular) != 0) {
    fail(target, "it is there and is not a regular file", "name a regular or a new file");
  }
}

void remove_leftovers(const fs::path& target) {
  std::error_code ignored;
  const std::string prefix = temporary_prefix(target);
  for (auto entry = fs::directory_iterator(folder_of(target), ignored); entry != fs::directory_iterator();
       entry.increment(ignored)) {
    if (ignored) return;
    if (!text_of(entry->path().filename()).starts_with(prefix) || !entry->is_regular_file(ignored)) continue;
    // Opening without sharing succeeds only where nobody has it open.
    constexpr DWORD kFlags = FILE_FLAG_DELETE_ON_CLOSE | FILE_FLAG_OPEN_REPARSE_POINT;
    const Handle leftover(CreateFileW(wide_path(text_of(entry->path())).c_str(), GENERIC_WRITE | DELETE, 0, nullptr,
                                      OPEN_EXISTING, kFlags, nullptr));
  }
}

DWORD write_all(HANDLE file, std::string_view content) {
  while (!content.empty()) {
    DWORD written = 0;
    const auto piece = static_cast<DWORD>(std::min<std::size_t>(content.size(), std::size_t{1} << 30));
    if (WriteFile(file, content.data(), piece, &written, nullptr) == 0) return GetLastError();
    content.remove_prefix(written);
  }
  return ERROR_SUCCESS;
}

}  // namespace

AtomicFile::AtomicFile(fs::path target) : target_(std::move(target)) {
  check_target(target_);
  remove_leftovers(target_);
  open_temporary();
}

AtomicFile::~AtomicFile() { discard(); }

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : target_(std::move(other.target_)),
      temporary_(std::move(other.temporary_)),
      handle_(std::exchange(other.handle_, -1)) {}

void AtomicFile::open_temporary() {
  constexpr int kAttempts = 100;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const std::string name = fmt::format("{}{}-{}", temporary_prefix(target_), GetCurrentProcessId(), attempt);
    temporary_ = folder_of(target_) / path_from(name);
    const HANDLE file = CreateFileW(wide_path(text_of(temporary_)).c_str(), GENERIC_WRITE,
                                    FILE_SHARE_READ | FILE_SHARE_DELETE, nullptr, CREATE_NEW, 0, nullptr);
    handle_ = reinterpret_cast<std::intptr_t>(file);
    if (file != INVALID_HANDLE_VALUE) return;
    const DWORD code = GetLastError();
    if (code != ERROR_FILE_EXISTS) {
      fail_with_code(target_, "creating a file in " + text_of(folder_of(target_)), code);
    }
  }
  fail(target_, "no temporary file could be created beside it", "try again");
}

void AtomicFile::discard() noexcept {
  if (handle_ == -1) return;
  CloseHandle(handle_of(std::exchange(handle_, -1)));
  DeleteFileW(temporary_.c_str());
}

void AtomicFile::replace(std::string_view content) {
  append(content);
  commit();
}

void AtomicFile::append(std::string_view piece) {
  if (handle_ == -1) open_temporary();
  if (const DWORD code = write_all(handle_of(handle_), piece); code != ERROR_SUCCESS) {
    discard();
    fail_with_code(target_, "writing", code);
  }
}

void AtomicFile::commit() {
  if (handle_ == -1) open_temporary();
  if (FlushFileBuffers(handle_of(handle_)) == 0) {
    const DWORD code = GetLastError();
    discard();
    fail_with_code(target_, "writing", code);
  }
  check_target(target_);
  constexpr DWORD kHow = MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH;
  if (MoveFileExW(wide_path(text_of(temporary_)).c_str(), wide_path(text_of(target_)).c_str(), kHow) == 0) {
    const DWORD code = GetLastError();
    discard();
    fail_with_code(target_, "putting it in place", code);
  }
  CloseHandle(handle_of(std::exchange(handle_, -1)));
}

}  // namespace diskproof
