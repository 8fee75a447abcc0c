// libnfs under one face: version 6 turned the arguments of its reads and writes around, and reads into the caller's
// memory instead of its own.
#pragma once

#include <cstdint>
#include <fcntl.h>
#include <nfsc/libnfs.h>
#include <sys/time.h>

namespace nfs {

// "libnfs" and the version that this was built with.
const char* library_name() noexcept;

#ifdef LIBNFS_API_V2
inline constexpr bool kReadsInPlace = true;

inline int start_read(nfs_context* context, nfsfh* file, void* data, std::uint64_t length, std::uint64_t offset,
                      nfs_cb done, void* argument) noexcept {
  return nfs_pread_async(context, file, data, length, offset, done, argument);
}
inline int start_write(nfs_context* context, nfsfh* file, const void* data, std::uint64_t length, std::uint64_t offset,
                       nfs_cb done, void* argument) noexcept {
  return nfs_pwrite_async(context, file, data, length, offset, done, argument);
}
#else
inline constexpr bool kReadsInPlace = false;  // the bytes are in the callback's `data`

inline int start_read(nfs_context* context, nfsfh* file, void*, std::uint64_t length, std::uint64_t offset, nfs_cb done,
                      void* argument) noexcept {
  return nfs_pread_async(context, file, offset, length, done, argument);
}
inline int start_write(nfs_context* context, nfsfh* file, const void* data, std::uint64_t length, std::uint64_t offset,
                       nfs_cb done, void* argument) noexcept {
  return nfs_pwrite_async(context, file, offset, length, data, done, argument);
}
#endif

// Longest write that the library can put into one request of that protocol version; 0: as long as one likes.
std::uint64_t longest_write(unsigned protocol) noexcept;

}  // namespace nfs
