// /proc, the C library's own books, and setrlimit.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <malloc.h>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

#include "conformance/resource_use.hpp"

namespace diskproof {

ResourceUse resource_use() {
  ResourceUse use;
  const std::filesystem::directory_iterator descriptors("/proc/self/fd");
  use.descriptors = static_cast<std::uint64_t>(std::distance(begin(descriptors), end(descriptors)));
#ifndef __SANITIZE_ADDRESS__  // which keeps freed memory back
  use.heap = mallinfo2().uordblks + mallinfo2().hblkhd;
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  use.mapped = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
#endif
  return use;
}

// SIGXFSZ is ignored by every process of this program.
bool limit_file_size(std::uint64_t bytes) {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
  limit.rlim_cur = bytes;
  return setrlimit(RLIMIT_FSIZE, &limit) == 0;
}

}  // namespace diskproof
