// Which arguments of mkfs a job may give: those that make a file system of the declared type on this disk alone.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace diskproof {

struct MkfsFault {
  std::size_t index = 0;  // of the argument
  std::string text;       // "'-n' only shows what mkfs would do"
};

// In the order of the arguments, read as the tool's own getopt reads them; only options that are known are let through.
std::vector<MkfsFault> mkfs_faults(const std::string& type, const std::vector<std::string>& arguments);

}  // namespace diskproof
