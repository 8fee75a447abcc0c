// The commands that make a file system on Windows, word by word; run by filesystem_steps_windows.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "job/job.hpp"

namespace diskproof {

// `volume`: "E:" or "\\?\Volume{…}". Quick, without a question; a volume in use makes it fail, as /X is not among it.
std::vector<std::string> format_command(const Filesystem& filesystem, const std::string& volume);

// For diskpart: one partition over the whole disk. All that was on it is gone.
std::string partition_script(std::uint32_t disk);
std::vector<std::string> partition_command(const std::string& script_path);

}  // namespace diskproof
