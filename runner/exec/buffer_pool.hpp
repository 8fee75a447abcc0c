// The I/O memory of one worker: one page-aligned buffer per tag, filled with incompressible data. It is one mapping,
// cut into the regions that engines register, on huge pages where it is large enough and the system has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <diskproof/engine_abi.h>

namespace diskproof {

inline constexpr std::uint64_t kSectorSize = 512;
inline constexpr std::uint64_t kLargestRegion = std::uint64_t{1} << 30;  // of the engine contract

// What the system backs an arena with.
enum class PageKind {
  small,
  transparent_huge,  // merged by the kernel where it can
  reserved_huge,     // from the administrator's pool
};

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

  // What it is backed with in fact, asked of the system; after fill().
  [[nodiscard]] PageKind pages() const;

  // Buffer i lies inside region i / buffers_per_region().
  [[nodiscard]] std::uint32_t buffers_per_region(std::uint64_t limit = kLargestRegion) const noexcept;
  [[nodiscard]] std::vector<dp_region> regions(std::uint64_t limit = kLargestRegion) const;

  // Overwrites everything with random bytes.
  void fill(std::uint64_t seed) noexcept;

 private:
  std::byte* base_ = nullptr;
  std::uint64_t stride_ = 0;
  std::uint64_t size_ = 0;
  void* mapping_ = nullptr;  // around it: starts on a huge page where it is large enough for one
  std::uint64_t mapped_ = 0;
  PageKind wanted_ = PageKind::small;
};

// Makes each sector of a write unlike any other: its offset and the write's sequence number go to its first 16 bytes,
// so that an array cannot dedupe what is the same random block again.
void stamp_sectors(std::byte* data, std::uint64_t length, std::uint64_t offset, std::uint64_t sequence) noexcept;

}  // namespace diskproof
