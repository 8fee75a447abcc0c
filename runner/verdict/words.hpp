// Cuts a threshold's text into words and operators, remembering where each stood.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace diskproof {

struct Word {
  std::string_view text;
  std::size_t offset = 0;
};

// Splits at blanks and around runs of < > = !; never fails. Views into `text`.
std::vector<Word> split_words(std::string_view text);

}  // namespace diskproof
