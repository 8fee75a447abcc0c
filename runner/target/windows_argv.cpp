// The rule of CommandLineToArgvW: a backslash is one of itself, but for those before a quote.
#include "target/windows_argv.hpp"

namespace diskproof {
namespace {

std::string quoted(const std::string& argument) {
  if (!argument.empty() && argument.find_first_of(" \t\n\v\"") == std::string::npos) return argument;
  std::string out = "\"";
  std::size_t backslashes = 0;
  for (const char c : argument) {
    if (c == '\\') {
      ++backslashes;
      continue;
    }
    out.append(c == '"' ? 2 * backslashes + 1 : backslashes, '\\');
    backslashes = 0;
    out += c;
  }
  return out.append(2 * backslashes, '\\') + '"';
}

}  // namespace

std::string command_line(const std::vector<std::string>& argv) {
  std::string line;
  for (const std::string& argument : argv) line += (line.empty() ? "" : " ") + quoted(argument);
  return line;
}

}  // namespace diskproof
