// One pass over the code points.
#include "support/printable.hpp"

#include <fmt/format.h>

#include "support/utf8.hpp"

namespace diskproof {
namespace {

// C0 without tab and line feed, DEL, and C1, whose U+009B starts a command as ESC [ does.
bool is_control(std::string_view text, std::size_t at, std::size_t length) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (length == 1) return (byte < 0x20 && byte != '\t' && byte != '\n') || byte == 0x7F;
  return length == 2 && byte == 0xC2 && static_cast<unsigned char>(text[at + 1]) < 0xA0;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_sequence_length(text, at);
    if (length == 0) {
      shown += fmt::format("\\x{:02X}", static_cast<unsigned char>(text[at]));
    } else if (is_control(text, at, length)) {
      shown += fmt::format("\\x{:02X}", static_cast<unsigned char>(text[at + length - 1]));
    } else {
      shown += text.substr(at, length);
    }
    at += length == 0 ? 1 : length;
  }
  return shown;
}

std::string printable_line(std::string_view text) {
  std::string line;
  for (const char c : printable(text)) {
    if (c == '\n') {
      line += "\\n";
    } else {
      line += c == '\t' ? ' ' : c;
    }
  }
  return line;
}

}  // namespace diskproof
