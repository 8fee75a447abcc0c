// What depends on the library's version, which none of its headers tells: the build passes it.
#include "nfs_api_linux.hpp"

namespace nfs {

const char* library_name() noexcept { return "libnfs " DISKPROOF_LIBNFS_VERSION; }

// Version 4 has no room for more in an NFSv4 request and fails it before it is sent.
std::uint64_t longest_write(unsigned protocol) noexcept {
  return DISKPROOF_LIBNFS_MAJOR < 5 && protocol == 4 ? 3800 : 0;
}

}  // namespace nfs
