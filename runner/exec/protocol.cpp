// Frame encoding and decoding.
#include "exec/protocol.hpp"

#include <fmt/format.h>

#include "support/error.hpp"
#include "support/version.hpp"

namespace diskproof {

namespace {

constexpr int kProtocolRevision = 1;

void append_u32(std::string& out, std::uint32_t value) {
  for (unsigned shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>((value >> shift) & 0xffu));
}

std::uint32_t read_u32(const char* bytes) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i) value |= std::uint32_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return value;
}

}  // namespace

std::string build_id() { return fmt::format("{} protocol {}", kVersion, kProtocolRevision); }

std::string encode_frame(FrameType type, std::string_view payload) {
  std::string frame;
  frame.reserve(kFrameHeader + payload.size());
  append_u32(frame, static_cast<std::uint32_t>(type));
  append_u32(frame, static_cast<std::uint32_t>(payload.size()));
  frame.append(payload);
  return frame;
}

std::optional<Frame> FrameReader::next() {
  if (buffer_.size() - begin_ < kFrameHeader) return std::nullopt;
  const std::uint32_t type = read_u32(buffer_.data() + begin_);
  const std::uint32_t length = read_u32(buffer_.data() + begin_ + 4);
  if (length > kMaxFramePayload) {
    throw Error(ErrorKind::failed, fmt::format("a frame of type {} announces {} bytes", type, length));
  }
  if (buffer_.size() - begin_ < kFrameHeader + length) return std::nullopt;
  Frame frame{static_cast<FrameType>(type), buffer_.substr(begin_ + kFrameHeader, length)};
  begin_ += kFrameHeader + length;
  if (begin_ == buffer_.size()) {
    buffer_.clear();
    begin_ = 0;
  } else if (begin_ > (std::size_t{1} << 16)) {
    buffer_.erase(0, begin_);
    begin_ = 0;
  }
  return frame;
}

}  // namespace diskproof
