// The bytes of a job file before YAML: read with a cap, valid UTF-8, no control characters, no half-known line ends.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "job/diagnostic.hpp"

namespace diskproof {

inline constexpr std::size_t kLargestFile = std::size_t{1} << 20;  // bytes

// The file's bytes; empty with an error added when it cannot be read or is too large.
std::string read_job_file(const std::string& path, Diagnostics& diagnostics);

// The text without a byte order mark and with a final newline; empty with an error added when it is not clean text.
std::string clean_yaml_text(std::string_view bytes, const std::string& file, Diagnostics& diagnostics);

}  // namespace diskproof
