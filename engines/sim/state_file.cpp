// What state files do alike on every system.
#include "state_file.hpp"

#include <algorithm>

namespace sim {

Failure StateFile::write_zeros(std::uint64_t offset, std::uint64_t end) noexcept {
  constexpr std::byte kZeros[4096]{};
  while (offset < end) {
    const std::size_t part = std::min<std::uint64_t>(sizeof kZeros, end - offset);
    if (const Failure failure = write(offset, kZeros, part); failure.code != DP_OK) return failure;
    offset += part;
  }
  return {};
}

}  // namespace sim
