// A file that a user named, open to be read. It must be a regular one: opening a FIFO would wait for its writer, and a
// device may never end. Implemented per platform.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace diskproof {

class RegularFile {
 public:
  // Links are followed. Throws Error{unavailable}: "opening PATH: why".
  explicit RegularFile(const std::string& path);
  ~RegularFile();
  RegularFile(const RegularFile&) = delete;
  RegularFile& operator=(const RegularFile&) = delete;

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }  // when it was opened
  // The next `most` bytes into `into`; fewer at the file's end only. Throws Error{unavailable}.
  std::size_t read(char* into, std::size_t most);

 private:
  std::string path_;
  std::intptr_t handle_;  // descriptor or HANDLE
  std::uint64_t size_ = 0;
};

// All of it. Throws Error{unavailable}.
std::string read_file(const std::string& path);

}  // namespace diskproof
