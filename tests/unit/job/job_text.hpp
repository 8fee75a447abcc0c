// Short job texts for tests, and what loading them says.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "job/job_loader.hpp"

namespace diskproof::test {

// A job that is valid as it is, with `keys` added to its only phase, one "key: value" per line.
inline std::string job_with_phase(std::string_view keys) {
  std::string text =
      "diskproof: 1\n"
      "name: test\n"
      "disks:\n"
      "  data: {virtual: {size: 1GiB}}\n"
      "phases:\n"
      "  - name: one\n"
      "    disk: data\n"
      "    engine: null\n";
  // Eight lines: the keys start in line 9, column 5.
  text.replace(text.find("null"), 4, "\"null\"");
  while (!keys.empty()) {
    const auto end = keys.find('\n');
    text.append("    ").append(keys.substr(0, end)).append("\n");
    keys.remove_prefix(end == std::string_view::npos ? keys.size() : end + 1);
  }
  return text;
}

inline std::vector<std::string> texts(const Diagnostics& diagnostics) {
  std::vector<std::string> result;
  for (const Diagnostic& one : diagnostics) result.push_back(to_string(one));
  return result;
}

inline std::string joined(const Diagnostics& diagnostics) {
  std::string result;
  for (const std::string& text : texts(diagnostics)) result += text + "\n";
  return result;
}

}  // namespace diskproof::test
