// What this process holds, to see what an engine does not give back. Implemented per platform.
#pragma once

#include <cstdint>

namespace diskproof {

struct ResourceUse {
  std::uint64_t descriptors = 0;  // open files, sockets, handles
  std::uint64_t heap = 0;         // bytes allocated; 0: not known
  std::uint64_t mapped = 0;       // bytes of address space; 0: not known
};

ResourceUse resource_use();

// From now on no file of this process grows beyond `bytes`; writing more is an error. False where that cannot be had.
bool limit_file_size(std::uint64_t bytes);

}  // namespace diskproof
