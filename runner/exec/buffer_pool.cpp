// Filling and stamping buffers; the memory itself comes from the platform file.
#include "exec/buffer_pool.hpp"

#include <cstring>

#include "exec/random.hpp"

namespace diskproof {

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
