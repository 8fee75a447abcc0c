// Makes any bytes fit to stand in an XML 1.0 document or on a terminal. Escaping of & < > " is left to pugixml, which
// passes control characters and broken UTF-8 through; those are what this file removes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace diskproof {

// ANSI escape sequences are dropped; invalid UTF-8 becomes U+FFFD; control characters other than TAB, LF and CR,
// surrogates, U+FFFE and U+FFFF become visible text such as \x1B. The result is valid UTF-8 and cleaning it again
// changes nothing.
std::string xml_clean(std::string_view text);

// Repairs the encoding only: invalid UTF-8 becomes U+FFFD, surrogates visible text. A text that went through here looks
// the same to xml_clean as the original.
std::string valid_utf8(std::string_view text);

// At most `limit` bytes of valid UTF-8: what is longer keeps its head and its tail, with a line between them that says
// how much was left out.
std::string cap_text(std::string_view text, std::size_t limit);

}  // namespace diskproof
