// What an engine must leave in its process as it found it, beside the memory and descriptors of resource_use.
// Implemented per platform; what one does not have stays empty.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace diskproof {

struct ProcessState {
  std::map<std::string, std::string> manners;  // by name: working directory, umask, signals, environment
  std::uint64_t threads = 0;
  std::uint64_t descriptors = 0;  // open ones
  std::uint64_t processes = 0;    // that this one has started, also those that ended and were not waited for
};

ProcessState process_state();

// From now on what this process started stays its own, also when what is between them ends.
void keep_descendants();

// How many descriptors of this process are open on the file.
std::uint64_t count_open(const std::string& path);

}  // namespace diskproof
