// UTF-8 decoding, control characters and ANSI sequences; see xml.hpp for the rules.
#include "report/xml.hpp"

#include <cstdint>
#include <fmt/format.h>

namespace diskproof {
namespace {

struct Decoded {
  std::uint32_t code = 0;
  std::size_t length = 1;  // bytes used up; of a broken sequence, its longest well-formed beginning
  bool valid = false;
};

constexpr bool is_continuation(unsigned char byte) { return (byte & 0xC0U) == 0x80U; }

// One code point at the head of `text`. Surrogates are decoded (valid) so that they can be shown by number.
Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  std::size_t length = 0;
  std::uint32_t code = 0;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2, code = lead & 0x1FU;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3, code = lead & 0x0FU;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4, code = lead & 0x07U;
  } else {
    return {};
  }
  for (std::size_t at = 1; at < length; ++at) {
    if (at >= text.size() || !is_continuation(byte(at))) return {0, at, false};
    const bool overlong = at == 1 && ((lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90));
    const bool too_large = at == 1 && lead == 0xF4 && byte(1) > 0x8F;
    if (overlong || too_large) return {};
    code = (code << 6) | (byte(at) & 0x3FU);
  }
  return {code, length, true};
}

constexpr bool in_range(char c, char low, char high) { return c >= low && c <= high; }

// Length of the escape sequence at the head of `text` (which starts with ESC), 0 when it is none: CSI, the string
// sequences (OSC, DCS and the like, only when terminated), and the short ones.
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2) return 0;
  const char kind = text[1];
  if (kind == '[') {
    std::size_t at = 2;
    while (at < text.size() && in_range(text[at], 0x20, 0x3F)) ++at;
    return at < text.size() && in_range(text[at], 0x40, 0x7E) ? at + 1 : 0;
  }
  if (std::string_view("]PX^_").find(kind) != std::string_view::npos) {
    for (std::size_t at = 2; at < text.size() && text[at] != '\n'; ++at) {
      if (text[at] == '\a') return at + 1;
      if (text[at] == '\x1B') return at + 1 < text.size() && text[at + 1] == '\\' ? at + 2 : 0;
    }
    return 0;
  }
  std::size_t at = 1;
  while (at < text.size() && in_range(text[at], 0x20, 0x2F)) ++at;
  return at < text.size() && in_range(text[at], 0x30, 0x7E) ? at + 1 : 0;
}

constexpr bool is_surrogate(std::uint32_t code) { return code >= 0xD800 && code <= 0xDFFF; }

constexpr bool is_unprintable(std::uint32_t code) {
  const bool control = (code < 0x20 && code != '\t' && code != '\n' && code != '\r') || (code >= 0x7F && code <= 0x9F);
  return control || code == 0xFFFE || code == 0xFFFF;
}

// Moves the code point at the head of `text` to `out`, repaired; what `by_number` names becomes \xNN.
void move_code_point(std::string_view& text, std::string& out, bool (*by_number)(std::uint32_t)) {
  const Decoded decoded = decode(text);
  if (!decoded.valid) {
    out += "\xEF\xBF\xBD";
  } else if (is_surrogate(decoded.code) || by_number(decoded.code)) {
    out += fmt::format("\\x{:02X}", decoded.code);
  } else {
    out += text.substr(0, decoded.length);
  }
  text.remove_prefix(decoded.length);
}

}  // namespace

std::string xml_clean(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    if (text.front() == '\x1B') {
      if (const std::size_t length = escape_length(text); length > 0) {
        text.remove_prefix(length);
        continue;
      }
    }
    move_code_point(text, clean, is_unprintable);
  }
  return clean;
}

std::string valid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) move_code_point(text, valid, [](std::uint32_t) { return false; });
  return valid;
}

std::string cap_text(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  constexpr std::size_t kNoteRoom = 64;  // the longest note between head and tail
  const std::size_t room = limit > kNoteRoom ? limit - kNoteRoom : 0;
  const auto inside_character = [&](std::size_t at) {
    return at < text.size() && is_continuation(static_cast<unsigned char>(text[at]));
  };
  std::size_t head = room / 2;
  while (head > 0 && inside_character(head)) --head;
  std::size_t tail = text.size() - (room - room / 2);
  while (inside_character(tail)) ++tail;
  const std::string note = fmt::format("\n[... {} bytes left out ...]\n", tail - head);
  if (room == 0) return note.size() <= limit ? note : std::string();
  return std::string(text.substr(0, head)) + note + std::string(text.substr(tail));
}

}  // namespace diskproof
