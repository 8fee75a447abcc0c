// The seeds of a phase's generators: from the one seed of the phase an independent one for each worker and purpose.
// The numbers are part of what a seed means, and what a schedule or a pattern can be recomputed from.
#pragma once

#include <cstdint>

#include "exec/random.hpp"

namespace diskproof {

enum Stream : std::uint64_t {
  kMixStream = 1,
  kOffsetStream = 2,
  kLengthStream = 3,
  kPlaceStream = 4,
  kArrivalStream = 5,
  kDataStream = 6,
  kReadBackStream = 7
};

inline std::uint64_t stream_seed(std::uint64_t seed, std::uint32_t worker, Stream purpose) noexcept {
  std::uint64_t state = seed ^ (std::uint64_t{worker} << 32) ^ purpose;
  splitmix64(state);
  return splitmix64(state);
}

}  // namespace diskproof
