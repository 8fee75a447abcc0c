// A file in the run's state folder: what the disk remembers from one phase to the next. The one place of this engine
// that talks to the operating system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <diskproof/engine.hpp>

namespace sim {

struct Failure {
  dp_code code = DP_OK;  // DP_OK: it worked
  std::uint32_t os_code = 0;
};

// Large and mostly empty files cost what was written to them. Reads, writes and zeroing are for any thread.
class StateFile {
 public:
  // `name` in `folder`, made where it is missing. Without a folder: one that no other process sees and that ends with
  // this object. Throws dp::EngineError.
  StateFile(const char* folder, const std::string& name);
  ~StateFile();
  StateFile(const StateFile&) = delete;
  StateFile& operator=(const StateFile&) = delete;

  // True: nobody else uses the file, nor can before this object says share() or ends.
  bool claim();
  // Waits for who has claimed it; from then on others can use it as well.
  void share();
  // Its first `length` bytes as memory that all who map them share; zeros at first. Once per object.
  void* map(std::size_t length);

  // Beyond what was ever written there are zeros.
  Failure read(std::uint64_t offset, std::byte* data, std::size_t length) const noexcept;
  Failure write(std::uint64_t offset, const std::byte* data, std::size_t length) noexcept;
  Failure zero(std::uint64_t offset, std::uint64_t length) noexcept;

 private:
  // Where the file system cannot make holes; `end` is inside the file.
  Failure write_zeros(std::uint64_t offset, std::uint64_t end) noexcept;
  [[noreturn]] void fail(const std::string& tried) const;

  std::string path_;  // for messages
  std::intptr_t handle_;
  void* mapped_ = nullptr;
  std::size_t mapped_length_ = 0;
};

}  // namespace sim
