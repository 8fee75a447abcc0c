// The operations on names of the broken engine, by plain calls.
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include <diskproof/engine_abi.h>

namespace broken {

inline std::int64_t stat_name(const dp_name_op& op) {
  struct stat status {};
  if (::stat(op.path, &status) != 0) return -errno;
  if (op.out_len < sizeof(dp_name_stat)) return -EINVAL;
  const dp_name_stat answer{static_cast<std::uint64_t>(status.st_size), status.st_ino,
                            S_ISDIR(status.st_mode) ? 1u : 0u, 0};
  std::memcpy(op.out, &answer, sizeof answer);
  return 0;
}

inline std::int64_t list_names(const dp_name_op& op) {
  DIR* folder = ::opendir(op.path);
  if (folder == nullptr) return -errno;
  std::string names;
  while (const dirent* entry = ::readdir(folder)) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names += name + '\0';
  }
  ::closedir(folder);
  if (names.size() > op.out_len) return -EINVAL;
  std::memcpy(op.out, names.data(), names.size());
  return static_cast<std::int64_t>(names.size());
}

inline std::int64_t open_name(const dp_name_op& op, int flags, bool keep) {
  const int descriptor = ::open(op.path, flags | O_CLOEXEC, 0600);
  if (descriptor < 0) return -errno;
  const auto handle = static_cast<std::uint64_t>(descriptor);
  if (keep && op.out != nullptr && op.out_len >= sizeof handle) {
    std::memcpy(op.out, &handle, sizeof handle);
  } else {
    ::close(descriptor);
  }
  return 0;
}

inline std::int64_t sync_name(const dp_name_op& op) {
  const int descriptor = ::open(op.path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return -errno;
  const int status = ::fsync(descriptor);
  ::close(descriptor);
  return status == 0 ? 0 : -EIO;
}

// 0, bytes, or -errno.
inline std::int64_t run_name(const dp_name_op& op) {
  const auto status = [](int result) { return result == 0 ? std::int64_t{0} : -std::int64_t{errno}; };
  switch (op.op) {
    case DP_NAME_CREATE:
      return open_name(op, O_RDWR | O_CREAT | ((op.flags & DP_NAME_EXCLUSIVE) != 0 ? O_EXCL : 0), true);
    case DP_NAME_OPEN:
      return open_name(op, O_RDWR, true);
    case DP_NAME_CLOSE:
      return status(::close(static_cast<int>(op.offset_or_handle)));
    case DP_NAME_STAT:
      return stat_name(op);
    case DP_NAME_TRUNCATE:
      return status(::truncate(op.path, static_cast<off_t>(op.offset_or_handle)));
    case DP_NAME_UNLINK:
      return status(::unlink(op.path));
    case DP_NAME_RENAME:
      return status(::rename(op.path, op.path2));
    case DP_NAME_MKDIR:
      return status(::mkdir(op.path, 0700));
    case DP_NAME_RMDIR:
      return status(::rmdir(op.path));
    case DP_NAME_READDIR:
      return list_names(op);
    case DP_NAME_SYNC:
      return sync_name(op);
    default:
      return -ENOTSUP;
  }
}

}  // namespace broken
