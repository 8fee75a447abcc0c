// Pieces of a disk's content by their place, without overlaps. Not for several threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace sim {

class ExtentMap {
 public:
  // Takes the place of whatever was there.
  void put(std::uint64_t offset, std::span<const std::byte> data);
  // Nothing is there any more.
  void cut(std::uint64_t offset, std::uint64_t length);
  void clear() { extents_.clear(); }
  // Copies over `data`, which stands for what begins at `offset`, whatever is there.
  void lay_over(std::uint64_t offset, std::span<std::byte> data) const;

  [[nodiscard]] const std::map<std::uint64_t, std::vector<std::byte>>& extents() const { return extents_; }

 private:
  // No piece crosses `offset` any more.
  void split(std::uint64_t offset);

  std::map<std::uint64_t, std::vector<std::byte>> extents_;  // by offset, none empty
};

}  // namespace sim
