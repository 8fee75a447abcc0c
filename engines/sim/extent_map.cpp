// Cutting is splitting at both ends and removing what lies between.
#include "extent_map.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace sim {

void ExtentMap::put(std::uint64_t offset, std::span<const std::byte> data) {
  cut(offset, data.size());
  if (!data.empty()) extents_.emplace(offset, std::vector<std::byte>(data.begin(), data.end()));
}

void ExtentMap::cut(std::uint64_t offset, std::uint64_t length) {
  if (extents_.empty() || length == 0) return;
  split(offset);
  split(offset + length);
  extents_.erase(extents_.lower_bound(offset), extents_.lower_bound(offset + length));
}

void ExtentMap::split(std::uint64_t offset) {
  const auto after = extents_.lower_bound(offset);
  if (after == extents_.begin()) return;
  const auto before = std::prev(after);
  std::vector<std::byte>& piece = before->second;
  const std::uint64_t kept = offset - before->first;
  if (kept >= piece.size()) return;
  extents_.emplace_hint(after, offset,
                        std::vector<std::byte>(piece.begin() + static_cast<std::ptrdiff_t>(kept), piece.end()));
  piece.resize(kept);
}

void ExtentMap::lay_over(std::uint64_t offset, std::span<std::byte> data) const {
  const std::uint64_t end = offset + data.size();
  auto piece = extents_.upper_bound(offset);
  if (piece != extents_.begin()) --piece;
  for (; piece != extents_.end() && piece->first < end; ++piece) {
    const std::uint64_t from = std::max(offset, piece->first);
    const std::uint64_t to = std::min(end, piece->first + piece->second.size());
    if (from < to) std::memcpy(data.data() + (from - offset), piece->second.data() + (from - piece->first), to - from);
  }
}

}  // namespace sim
