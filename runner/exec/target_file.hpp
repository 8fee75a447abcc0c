// An open target of one worker: known to be the file that was prepared, and where the system has descriptors that
// engines can use, the one that the engine gets.
#pragma once

#include <cstdint>
#include <string>

namespace diskproof {

struct TargetAccess {
  bool write = false;
  bool direct = false;
  bool dsync = false;  // data of a write is durable before it is acknowledged
  bool sync = false;   // metadata too
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
  // A device that is held open as `descriptor`, opened once more by that and for this access. Throws Error{failed}.
  TargetFile(const std::string& path, TargetAccess access, int descriptor);
  ~TargetFile();
  TargetFile(const TargetFile&) = delete;
  TargetFile& operator=(const TargetFile&) = delete;

  // For dp_target.native_handle; -1 on Windows, where the engine opens the file itself.
  [[nodiscard]] std::int64_t handle() const noexcept;

  // Reserves [0, size) where the file system can, so that a later write does not extend the file.
  void allocate(std::uint64_t size);

 private:
  std::string path_;
  std::intptr_t held_ = -1;  // descriptor or HANDLE
};

}  // namespace diskproof
