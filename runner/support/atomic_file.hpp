// A file that is either its old or its new self, never half of one, and whose place is known to be writable before
// there is anything to write. Implemented per platform.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace diskproof {

class AtomicFile {
 public:
  // Creates a temporary file beside `target` and removes those that dead processes left there. Throws Error{failed}
  // when the folder is not writable or `target` is something else than a regular file; links are not followed.
  explicit AtomicFile(std::filesystem::path target);
  ~AtomicFile();  // removes a temporary file that was not put in place
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&&) = delete;

  // Writes, flushes to disk and puts in place; as often as wanted. Throws Error{failed}; the target is then unchanged.
  void replace(std::string_view content);
  // The same in pieces, of what is too large for one: the target changes with commit().
  void append(std::string_view piece);
  void commit();

  [[nodiscard]] const std::filesystem::path& target() const noexcept { return target_; }

 private:
  void open_temporary();
  void discard() noexcept;

  std::filesystem::path target_;
  std::filesystem::path temporary_;
  std::intptr_t handle_ = -1;  // descriptor or HANDLE of temporary_, locked while it lives; -1: there is none
};

}  // namespace diskproof
