// A file as memory that all processes share that map it. What was stored in it stays when a process is killed, since
// it belongs to the file. Implemented per platform.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace diskproof {

class SharedMapping {
 public:
  enum class Mode {
    make,      // made with `size` bytes of zeros where it is missing, with its space; a present one must have that size
    existing,  // as large as it is
  };

  // Links are not followed. Throws Error{unavailable} naming the file; also where it is no regular file or empty.
  SharedMapping(const std::string& path, Mode mode, std::uint64_t size = 0);
  ~SharedMapping();
  SharedMapping(SharedMapping&& other) noexcept;
  SharedMapping& operator=(SharedMapping&&) = delete;

  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

 private:
  std::byte* data_ = nullptr;
  std::uint64_t size_ = 0;
};

}  // namespace diskproof
