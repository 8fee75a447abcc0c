// What may stand in XML, and what becomes of the rest.
#include "report/xml.hpp"

#include <doctest/doctest.h>
#include <string>

namespace diskproof {
namespace {

using namespace std::string_literals;

struct Row {
  const char* name;
  std::string text, clean;
};

const Row kRows[] = {
    {"plain", "p99 4.7 ms", "p99 4.7 ms"},
    {"markup is left to the writer", "<a> & ]]> \"", "<a> & ]]> \""},
    {"line ends and tabs stay", "a\tb\r\nc", "a\tb\r\nc"},
    {"valid UTF-8 stays", "µs é 日本 \xF0\x9F\x92\xBE", "µs é 日本 \xF0\x9F\x92\xBE"},
    {"NUL", "a\0b"s, "a\\x00b"},
    {"C0 control", "\x01\x08\x0B\x1F", "\\x01\\x08\\x0B\\x1F"},
    {"DEL and C1 control", "\x7F\xC2\x9B", "\\x7F\\x9B"},
    {"noncharacters", "\xEF\xBF\xBE\xEF\xBF\xBF", "\\xFFFE\\xFFFF"},
    {"surrogates", "\xED\xA0\x80\xED\xBF\xBF", "\\xD800\\xDFFF"},
    {"stray continuation byte", "a\x80z", "a\xEF\xBF\xBDz"},
    {"truncated sequence", "a\xE2\x82", "a\xEF\xBF\xBD"},
    {"interrupted sequence", "\xC3(", "\xEF\xBF\xBD("},
    {"overlong slash", "\xC0\xAF", "\xEF\xBF\xBD\xEF\xBF\xBD"},
    {"beyond Unicode", "\xF4\x90\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
    {"colour", "\x1B[1;31mred\x1B[0m", "red"},
    {"cursor movement", "a\x1B[2K\x1B[1Gb", "ab"},
    {"window title ended by BEL", "\x1B]0;title\a!", "!"},
    {"hyperlink ended by ST", "\x1B]8;;http://x\x1B\\link", "link"},
    {"character set", "\x1B(B!", "!"},
    {"unfinished colour", "\x1B[31", "\\x1B[31"},
    {"unfinished title keeps its text", "\x1B]0;all the rest", "\\x1B]0;all the rest"},
    {"lone escape", "\x1B", "\\x1B"},
    {"escape before an escape sequence", "\x1B\x1B[0mx", "\\x1Bx"},
    {"empty", "", ""},
};

TEST_CASE("xml: hostile text becomes visible and harmless") {
  for (const Row& row : kRows) {
    CAPTURE(std::string(row.name));
    CHECK(xml_clean(row.text) == row.clean);
  }
}

TEST_CASE("xml: cleaning twice changes nothing - and repairing the encoding first makes no difference") {
  std::string all;
  for (const Row& row : kRows) all += row.text + " ";
  for (std::size_t start = 0; start < all.size(); ++start) {
    const std::string text = all.substr(start);
    CAPTURE(start);
    CHECK(xml_clean(xml_clean(text)) == xml_clean(text));
    CHECK(xml_clean(valid_utf8(text)) == xml_clean(text));
  }
}

TEST_CASE("xml: a long text keeps its head and its tail") {
  const std::string text = "head" + std::string(1000, '.') + "tail";
  CHECK(cap_text(text, text.size()) == text);
  const std::string capped = cap_text(text, 200);
  CHECK(capped.size() <= 200);
  CHECK(capped.starts_with("head"));
  CHECK(capped.ends_with("tail"));
  CHECK(capped.find("[... 872 bytes left out ...]") != std::string::npos);
}

TEST_CASE("xml: a cut never splits a character - whatever the limit") {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "日é\xF0\x9F\x92\xBE.";
  for (std::size_t limit = 0; limit <= text.size(); ++limit) {
    CAPTURE(limit);
    const std::string capped = cap_text(text, limit);
    CHECK(capped.size() <= limit);
    CHECK(valid_utf8(capped) == capped);
  }
}

}  // namespace
}  // namespace diskproof
