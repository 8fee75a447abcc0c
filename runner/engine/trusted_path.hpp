// Whether somebody else could have put or changed what would be loaded, and where this program is.
#pragma once

#include <filesystem>
#include <string>

namespace diskproof {

// Why code from this file must not be loaded; empty when it may. Every folder on the way to it counts, links resolved.
// A file that does not exist is trusted: opening it fails with a better message.
std::string distrust(const std::filesystem::path& file);

// The running executable's absolute path, links resolved.
std::filesystem::path executable_path();

}  // namespace diskproof
