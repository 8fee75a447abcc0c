// The I/O memory of one worker: one page-aligned buffer per tag, filled with incompressible data. It is one mapping,
// cut into the regions that engines register.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <diskproof/engine_abi.h>

namespace diskproof {

inline constexpr std::uint64_t kSectorSize = 512;
inline constexpr std::uint64_t kLargestRegion = std::uint64_t{1} << 30;  // of the engine contract

class BufferPool {
 public:
  // `buffers` buffers of `length` bytes each (rounded up to whole pages). Throws Error{unavailable} when the memory
  // is not there.
  BufferPool(std::uint32_t buffers, std::uint64_t length);
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  [[nodiscard]] std::byte* buffer(std::uint32_t index) const noexcept { return base_ + index * stride_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  // Buffer i lies inside region i / buffers_per_region().
  [[nodiscard]] std::uint32_t buffers_per_region(std::uint64_t limit = kLargestRegion) const noexcept;
  [[nodiscard]] std::vector<dp_region> regions(std::uint64_t limit = kLargestRegion) const;

  // Overwrites everything with random bytes.
  void fill(std::uint64_t seed) noexcept;

 private:
  std::byte* base_ = nullptr;
  std::uint64_t stride_ = 0;
  std::uint64_t size_ = 0;
};

// Makes each sector of a write unlike any other: its offset and the write's sequence number go to its first 16 bytes,
// so that an array cannot dedupe what is the same random block again.
void stamp_sectors(std::byte* data, std::uint64_t length, std::uint64_t offset, std::uint64_t sequence) noexcept;

}  // namespace diskproof
