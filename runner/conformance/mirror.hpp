// A target and what must be in it: writes go to both, reads are compared. For engines that keep data.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "conformance/rig.hpp"

namespace diskproof {

class Mirror {
 public:
  // Writes the whole target first, through the rig, in whole buffers.
  Mirror(Rig& rig, std::uint16_t target, std::uint64_t size, unsigned seed);

  // A write of new bytes from the tag's buffer, or from `buffer`.
  dp_io write(std::uint32_t tag, std::uint64_t offset, std::uint64_t length);
  dp_io write_from(std::uint32_t buffer, std::uint32_t tag, std::uint64_t offset, std::uint64_t length);
  // A read into a buffer that holds other bytes until then.
  dp_io read(std::uint32_t tag, std::uint64_t offset, std::uint64_t length);
  dp_io read_into(std::uint32_t buffer, std::uint32_t tag, std::uint64_t offset, std::uint64_t length);
  // After the read: its bytes are those of the mirror, and what follows them in the buffer was not touched.
  void compare(std::uint32_t buffer, std::uint64_t offset, std::uint64_t length) const;
  // Reads everything and compares.
  void compare_all();
  // The bytes as they are expected, to be changed where something else than a write changes them.
  [[nodiscard]] std::span<unsigned char> bytes() noexcept { return bytes_; }

 private:
  Rig& rig_;
  std::uint16_t target_;
  unsigned generation_;
  std::vector<unsigned char> bytes_;
};

}  // namespace diskproof
