// Text of others (keys, paths, what an engine says) on its way to a terminal: nothing in it may command the terminal.
#pragma once

#include <string>
#include <string_view>

namespace diskproof {

// Control characters and bytes that are not UTF-8 become \xNN; line feeds stay.
std::string printable(std::string_view text);

// The same in one line: line feeds become \n, tabs a space.
std::string printable_line(std::string_view text);

}  // namespace diskproof
