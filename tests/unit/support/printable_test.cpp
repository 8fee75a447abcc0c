// What text of others may do to a terminal: nothing.
#include "support/printable.hpp"

#include <doctest/doctest.h>

using namespace diskproof;

TEST_CASE("printable: control characters and broken UTF-8 become visible - text stays") {
  struct Row {
    const char* name;
    std::string text, many_lines, one_line;
  };
  const Row rows[]{
      {"plain", "read.iops >= 1", "read.iops >= 1", "read.iops >= 1"},
      {"other scripts", "Größe 容量 …", "Größe 容量 …", "Größe 容量 …"},
      {"colour", "\x1b[31mred", "\\x1B[31mred", "\\x1B[31mred"},
      {"title", "\x1b]0;x\a", "\\x1B]0;x\\x07", "\\x1B]0;x\\x07"},
      {"bell, backspace, delete", "\a\b\x7f", "\\x07\\x08\\x7F", "\\x07\\x08\\x7F"},
      {"C1 command",
       "\xC2\x9B"
       "31m",
       "\\x9B31m", "\\x9B31m"},
      {"not C1", "\xC2\xA0", "\xC2\xA0", "\xC2\xA0"},
      {"carriage return", "good\rbad", "good\\x0Dbad", "good\\x0Dbad"},
      {"line feed and tab", "a\n\tb", "a\n\tb", "a\\n b"},
      {"broken UTF-8", "a\xFF\xC3(", "a\\xFF\\xC3(", "a\\xFF\\xC3("},
      {"NUL", std::string("a\0b", 3), "a\\x00b", "a\\x00b"},
      {"empty", "", "", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CHECK(printable(row.text) == row.many_lines);
    CHECK(printable_line(row.text) == row.one_line);
  }
}
