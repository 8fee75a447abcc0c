// Padding and wrapping; see columns.hpp.
#include "report/columns.hpp"

#include <algorithm>

#include "report/xml.hpp"

namespace diskproof {
namespace {

// The next word with the space before it. A number keeps its unit: no break after a digit.
std::string_view next_word(std::string_view line) {
  std::size_t end = line.find(' ', 1);
  while (end != std::string_view::npos && line[end - 1] >= '0' && line[end - 1] <= '9') end = line.find(' ', end + 1);
  return line.substr(0, end);
}

std::string wrap_line(std::string_view line, std::size_t indent) {
  std::string text;
  std::size_t column = indent;
  while (!line.empty()) {
    const std::string_view word = next_word(line);
    const std::size_t width = display_width(word);
    if (column > indent && column + width > kTerminalColumns) {
      text += "\n" + std::string(indent, ' ');
      column = indent;
      text += word.substr(1);
      column += width - 1;
    } else {
      text += word;
      column += width;
    }
    line.remove_prefix(word.size());
  }
  return text;
}

}  // namespace

std::size_t display_width(std::string_view utf8) {
  return static_cast<std::size_t>(
      std::ranges::count_if(utf8, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string pad_right(std::string_view text, std::size_t width) {
  const std::size_t used = display_width(text);
  return std::string(text) + std::string(used < width ? width - used : 0, ' ');
}

std::string pad_left(std::string_view text, std::size_t width) {
  const std::size_t used = display_width(text);
  return std::string(used < width ? width - used : 0, ' ') + std::string(text);
}

std::string wrap(std::string_view text, std::size_t indent) {
  std::string wrapped;
  while (true) {
    const std::size_t end = text.find('\n');
    wrapped += wrap_line(text.substr(0, end), indent);
    if (end == std::string_view::npos) return wrapped;
    text.remove_prefix(end + 1);
    wrapped += "\n" + std::string(indent, ' ');
  }
}

std::string one_line(std::string_view text) {
  std::string line = xml_clean(text);
  std::ranges::replace_if(
      line, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return line;
}

}  // namespace diskproof
