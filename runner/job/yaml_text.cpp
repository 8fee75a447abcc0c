// yaml-cpp accepts invalid UTF-8, control characters and UTF-16 silently; these are refused here, with their place.
#include "job/yaml_text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <system_error>

#include "support/path_text.hpp"
#include "support/system_text.hpp"
#include "support/utf8.hpp"

namespace diskproof {
namespace {

void add_error(Diagnostics& diagnostics, const std::string& file, Location at, std::string message, std::string hint) {
  diagnostics.push_back({Diagnostic::Level::error, file, at, {}, std::move(message), std::move(hint)});
}

// What other encoding the first bytes show; empty for none.
std::string_view other_encoding(std::string_view bytes) {
  const auto at = [&](std::size_t i) { return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 1u; };
  if (at(0) == 0xFF && at(1) == 0xFE) return at(2) == 0 && at(3) == 0 ? "UTF-32" : "UTF-16";
  if (at(0) == 0xFE && at(1) == 0xFF) return "UTF-16";
  if (at(0) == 0 && at(1) == 0) return "UTF-32";
  if ((at(0) == 0) != (at(1) == 0)) return at(1) == 0 && at(2) == 0 && at(3) == 0 ? "UTF-32" : "UTF-16";
  return {};
}

struct Fault {
  std::string message;
  std::string hint;
};

std::optional<Fault> fault_at(std::string_view text, std::size_t at, std::size_t length) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (length == 0) return Fault{fmt::format("byte 0x{:02x} is not UTF-8", byte), "save the file as UTF-8"};
  if (byte == '\r' && (at + 1 >= text.size() || text[at + 1] != '\n')) {
    return Fault{"a carriage return without a line feed", "save the file with LF or CRLF line ends"};
  }
  const bool white = byte == '\t' || byte == '\n' || byte == '\r';
  if ((byte < 0x20 && !white) || byte == 0x7F) {
    return Fault{fmt::format("control character 0x{:02x}", byte), "remove it"};
  }
  if (text.substr(at, 3) == "\xEF\xBB\xBF") return Fault{"a byte order mark inside the file", "remove it"};
  return std::nullopt;
}

// Line of the first `[section]` of a file of sections and `name=value`, as fio takes its jobs; 0: it is no such file.
int fio_section(std::string_view text) {
  int section = 0;
  for (int line = 1; !text.empty(); ++line) {
    const std::string_view whole = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(whole.size() + 1, text.size()));
    const auto first = whole.find_first_not_of(" \t\r");
    if (first == std::string_view::npos || whole[first] == '#' || whole[first] == ';') continue;
    if (whole[first] == '[') {
      const auto close = whole.find(']', first);
      const bool alone =
          close != std::string_view::npos && whole.find_first_not_of(" \t\r", close + 1) == std::string_view::npos;
      if (!alone) return 0;
      if (section == 0) section = line;
      continue;
    }
    const auto sign = whole.find_first_of("=:");
    if (section == 0 || (sign != std::string_view::npos && whole[sign] == ':')) return 0;
    if (sign != std::string_view::npos) return section;  // else an option without a value
  }
  return 0;
}

}  // namespace

std::string read_job_file(const std::string& path, Diagnostics& diagnostics) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path_from(path), error);
  if (!fs::exists(status)) {
    const std::string why = status.type() == fs::file_type::not_found ? "no such file" : error.message();
    add_error(diagnostics, path, {}, fmt::format("cannot read the job file: {}", why), "check the path");
    return {};
  }
  if (!fs::is_regular_file(status)) {
    const bool directory = fs::is_directory(status);
    add_error(diagnostics, path, {},
              fmt::format("cannot read the job file: it is {}", directory ? "a directory" : "not a regular file"),
              directory ? "name the .yaml file inside it" : "name a .yaml file");
    return {};
  }
  errno = 0;
  std::ifstream stream(path_from(path), std::ios::binary);
  std::string bytes(kLargestFile + 1, '\0');
  if (stream) stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!stream.is_open() || stream.bad()) {
    const std::string why = errno == 0 ? "the read failed" : system_text(errno);
    add_error(diagnostics, path, {}, fmt::format("cannot read the job file: {}", why), "check its permissions");
    return {};
  }
  bytes.resize(static_cast<std::size_t>(stream.gcount()));
  if (bytes.empty()) add_error(diagnostics, path, {1, 1}, "the file is empty", "start with 'diskproof: 1'");
  return bytes;
}

std::string clean_yaml_text(std::string_view bytes, const std::string& file, Diagnostics& diagnostics) {
  if (bytes.size() > kLargestFile) {
    add_error(diagnostics, file, {}, "is larger than 1 MiB, the most that is read", "is this a job file?");
    return {};
  }
  if (const auto encoding = other_encoding(bytes); !encoding.empty() && bytes.size() > 1) {
    add_error(diagnostics, file, {1, 1}, fmt::format("the file is {}", encoding), "save it as UTF-8");
    return {};
  }
  if (bytes.substr(0, 3) == "\xEF\xBB\xBF") bytes.remove_prefix(3);
  Location at{1, 1};
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t length = utf8_sequence_length(bytes, i);
    if (auto fault = fault_at(bytes, i, length)) {
      add_error(diagnostics, file, at, std::move(fault->message), std::move(fault->hint));
      return {};
    }
    at = bytes[i] == '\n' ? Location{at.line + 1, 1} : Location{at.line, at.column + static_cast<int>(length)};
    i += length;
  }
  if (const int line = fio_section(bytes); line != 0) {
    add_error(diagnostics, file, {line, 1}, "this looks like a job file of fio; diskproof reads YAML",
              "start with 'diskproof: 1', and take jobs/quickstart.yaml as an example");
    return {};
  }
  std::string text(bytes);
  if (text.empty() || text.back() != '\n') text += '\n';
  return text;
}

}  // namespace diskproof
