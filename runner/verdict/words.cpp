// Three kinds of characters: blank, operator, everything else.
#include "verdict/words.hpp"

namespace diskproof {
namespace {

enum class Kind { blank, comparison, other };

Kind kind_of(char c) {
  if (c == ' ' || c == '\t' || c == '\n' || c == '\r') return Kind::blank;
  if (c == '<' || c == '>' || c == '=' || c == '!') return Kind::comparison;
  return Kind::other;
}

}  // namespace

std::vector<Word> split_words(std::string_view text) {
  std::vector<Word> words;
  std::size_t at = 0;
  while (at < text.size()) {
    const Kind kind = kind_of(text[at]);
    const std::size_t start = at;
    while (at < text.size() && kind_of(text[at]) == kind) ++at;
    if (kind != Kind::blank) words.push_back({text.substr(start, at - start), start});
  }
  return words;
}

}  // namespace diskproof
