// Text laid out for a terminal: padding and wrapping that count characters, not bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace diskproof {

inline constexpr std::size_t kTerminalColumns = 100;

std::size_t display_width(std::string_view utf8);  // one column per code point

std::string pad_right(std::string_view text, std::size_t width);
std::string pad_left(std::string_view text, std::size_t width);

// Breaks at spaces so that lines stay within kTerminalColumns; later lines start with `indent` spaces. The first line
// starts at column `indent` already. Newlines of the text are kept; there is none at the end.
std::string wrap(std::string_view text, std::size_t indent);

// Foreign text fit for one line of a terminal: cleaned as for XML, line ends and tabs become spaces.
std::string one_line(std::string_view text);

}  // namespace diskproof
