// An open target of one worker: the descriptor that the engine gets.
#pragma once

#include <cstdint>
#include <string>

namespace diskproof {

struct TargetAccess {
  bool write = false;
  bool direct = false;
};

// Which file it must be; device 0: any.
struct ExpectedFile {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
};

class TargetFile {
 public:
  // Opens an existing regular file; never follows a link, never creates. Throws Error{unavailable} where direct I/O
  // is refused, Error{refused} when another file has taken the path, else Error{failed}.
  TargetFile(const std::string& path, TargetAccess access, ExpectedFile expected = {});
  ~TargetFile();
  TargetFile(const TargetFile&) = delete;
  TargetFile& operator=(const TargetFile&) = delete;

  [[nodiscard]] std::int64_t handle() const noexcept { return handle_; }

  // Reserves [0, size) where the file system can, so that a later write does not extend the file.
  void allocate(std::uint64_t size);

 private:
  std::string path_;
  std::int64_t handle_ = -1;
};

}  // namespace diskproof
