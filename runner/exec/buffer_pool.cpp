// Filling and stamping buffers; the memory itself comes from the platform file.
#include "exec/buffer_pool.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "exec/random.hpp"

namespace diskproof {

std::uint32_t BufferPool::buffers_per_region(std::uint64_t limit) const noexcept {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(limit / stride_, 1, kMost));
}

std::vector<dp_region> BufferPool::regions(std::uint64_t limit) const {
  const std::uint64_t step = buffers_per_region(limit) * stride_;
  std::vector<dp_region> regions;
  for (std::uint64_t at = 0; at < size_; at += step) regions.push_back({base_ + at, std::min(step, size_ - at)});
  return regions;
}

void BufferPool::fill(std::uint64_t seed) noexcept {
  Random random(seed);
  for (std::uint64_t at = 0; at < size_; at += sizeof(std::uint64_t)) {  // size_ is whole pages
    const std::uint64_t word = random.next();
    std::memcpy(base_ + at, &word, sizeof word);
  }
}

void stamp_sectors(std::byte* data, std::uint64_t length, std::uint64_t offset, std::uint64_t sequence) noexcept {
  for (std::uint64_t at = 0; at + 16 <= length; at += kSectorSize) {
    const std::uint64_t stamp[2] = {offset + at, sequence};
    std::memcpy(data + at, stamp, sizeof stamp);
  }
}

}  // namespace diskproof
