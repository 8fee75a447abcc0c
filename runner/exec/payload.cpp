// Making sectors, and the pool of repeated blocks.
#include "exec/payload.hpp"

#include <algorithm>
#include <cstring>

#include "exec/buffer_pool.hpp"

namespace diskproof {

namespace {

constexpr std::uint64_t kStamp = 16;  // bytes that stamp_sectors writes

}  // namespace

Payload::Payload(const PayloadSetup& setup)
    : block_(setup.block),
      repeated_(static_cast<std::uint64_t>(setup.shape.dedupe / 100 * 4294967296.0 + 0.5)),
      random_part_(static_cast<std::uint64_t>(kSectorSize * (100 - setup.shape.compressible) / 100 + 0.5)),
      random_(setup.draw_seed) {
  if (repeated_ == 0) return;
  pool_.resize(kRepeatedBlocks * block_);
  Random random(setup.pool_seed);
  make(pool_, random);
}

void Payload::make(std::span<std::byte> block, Random& random) const noexcept {
  for (std::uint64_t begin = 0; begin < block.size(); begin += kSectorSize) {
    const std::span sector = block.subspan(begin, std::min<std::uint64_t>(kSectorSize, block.size() - begin));
    const std::uint64_t kept = std::min<std::uint64_t>(random_part_, sector.size());
    for (std::uint64_t at = 0; at < kept; at += sizeof(std::uint64_t)) {
      const std::uint64_t word = random.next();
      std::memcpy(sector.data() + at, &word, std::min<std::uint64_t>(sizeof word, kept - at));
    }
    if (kept < sector.size()) std::memset(sector.data() + kept, 0, sector.size() - kept);
  }
}

void Payload::prepare(std::byte* data, std::uint32_t length, std::uint64_t offset, std::uint64_t sequence) noexcept {
  if (repeated_ > 0) {
    const std::uint64_t drawn = random_.next();
    if ((drawn >> 32) < repeated_) {
      std::memcpy(data, pool_.data() + drawn % kRepeatedBlocks * block_, length);
      return;
    }
  }
  make({data, length}, random_);
  if (random_part_ >= kStamp) stamp_sectors(data, length, offset, sequence);
}

}  // namespace diskproof
