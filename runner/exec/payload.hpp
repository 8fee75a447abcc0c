// What the blocks of writes hold where a phase says something about it; else buffers are random once and each write is
// stamped, which is cheap, and unlike any other sector by sector. Here each block is made anew, so that a compressor
// that looks at many blocks finds no more than was asked for: the tail of every sector may be zeros, and a share of the
// writes may repeat one of a few blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "exec/random.hpp"
#include "plan/plan.hpp"

namespace diskproof {

struct PayloadSetup {
  DataShape shape;
  std::uint64_t block = 0;      // bytes of the largest
  std::uint64_t pool_seed = 0;  // of the repeated blocks: of the phase, so that all threads repeat the same
  std::uint64_t draw_seed = 0;  // of which writes repeat one

  [[nodiscard]] bool wanted() const noexcept { return shape.dedupe > 0 || shape.compressible > 0; }
};

class Payload {
 public:
  explicit Payload(const PayloadSetup& setup);
  // Before a write of `data`.
  void prepare(std::byte* data, std::uint32_t length, std::uint64_t offset, std::uint64_t sequence) noexcept;

 private:
  // Random in the first part of every sector, zero in the rest.
  void make(std::span<std::byte> block, Random& random) const noexcept;

  std::vector<std::byte> pool_;  // kRepeatedBlocks blocks; empty: no write repeats one
  std::uint64_t block_;
  std::uint64_t repeated_;     // share of the writes, in 1/2^32
  std::uint64_t random_part_;  // bytes of a sector
  Random random_;
};

}  // namespace diskproof
