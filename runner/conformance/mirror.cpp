// Bytes that tell where and when they were written.
#include "conformance/mirror.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "conformance/rule.hpp"

namespace diskproof {
namespace {

constexpr unsigned char kUntouched = 0xE7;

unsigned char byte_of(std::uint64_t offset, unsigned generation) noexcept {
  return static_cast<unsigned char>(((offset + 1) * 0x9E3779B97F4A7C15u >> 40) + generation * 97u);
}

}  // namespace

Mirror::Mirror(Rig& rig, std::uint16_t target, std::uint64_t size, unsigned seed)
    : rig_(rig), target_(target), generation_(seed), bytes_(size, 0) {
  const std::uint64_t step = rig_.buffer(0).size();
  for (std::uint64_t at = 0; at < size; at += step) rig_.must_run(std::array{write(0, at, std::min(step, size - at))});
}

dp_io Mirror::write(std::uint32_t tag, std::uint64_t offset, std::uint64_t length) {
  return write_from(tag, tag, offset, length);
}

dp_io Mirror::write_from(std::uint32_t buffer, std::uint32_t tag, std::uint64_t offset, std::uint64_t length) {
  ++generation_;
  const std::span<unsigned char> data = rig_.buffer(buffer);
  for (std::uint64_t i = 0; i < length; ++i) bytes_[offset + i] = data[i] = byte_of(offset + i, generation_);
  dp_io io = rig_.io_in(buffer, rig_.io(DP_OP_WRITE, tag, offset, length));
  io.target = target_;
  return io;
}

dp_io Mirror::read(std::uint32_t tag, std::uint64_t offset, std::uint64_t length) {
  return read_into(tag, tag, offset, length);
}

dp_io Mirror::read_into(std::uint32_t buffer, std::uint32_t tag, std::uint64_t offset, std::uint64_t length) {
  std::ranges::fill(rig_.buffer(buffer), kUntouched);
  dp_io io = rig_.io_in(buffer, rig_.io(DP_OP_READ, tag, offset, length));
  io.target = target_;
  return io;
}

void Mirror::compare(std::uint32_t buffer, std::uint64_t offset, std::uint64_t length) const {
  const std::span<const unsigned char> data = rig_.buffer(buffer);
  for (std::uint64_t i = 0; i < length; ++i) {
    if (data[i] == bytes_[offset + i]) continue;
    throw Violation(fmt::format("a read of {} bytes at offset {} gives {:#04x} for byte {}, where {:#04x} was written",
                                length, offset, data[i], offset + i, bytes_[offset + i]));
  }
  for (std::uint64_t i = length; i < data.size(); ++i) {
    if (data[i] != kUntouched)
      throw Violation(
          fmt::format("a read of {} bytes at offset {} wrote {} bytes behind its end", length, offset, i - length + 1));
  }
}

void Mirror::compare_all() {
  const std::uint64_t step = rig_.buffer(0).size();
  for (std::uint64_t at = 0; at < bytes_.size(); at += step) {
    const std::uint64_t length = std::min<std::uint64_t>(step, bytes_.size() - at);
    rig_.must_run(std::array{read(0, at, length)});
    compare(0, at, length);
  }
}

}  // namespace diskproof
