// Text of reports compared without its line breaks.
#pragma once

#include <string>

namespace diskproof::testing {

// In one line, with one blank where there were several.
inline std::string flat(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n';
    if (!space || !line.ends_with(' ')) line += space ? ' ' : c;
  }
  return line;
}

// Wherever the lines of the text were broken.
inline bool has(const std::string& text, const std::string& words) {
  return flat(text).find(flat(words)) != std::string::npos;
}

}  // namespace diskproof::testing
