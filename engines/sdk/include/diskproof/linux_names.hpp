// Operations on names on Linux, by plain calls. For engines that have nothing better for some or all of them.
#pragma once

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <span>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <diskproof/engine_abi.h>

namespace dp {

inline constexpr mode_t kFileMode = 0600, kFolderMode = 0700;

inline int open_flags(const dp_name_op& op) noexcept {
  if (op.op == DP_NAME_OPEN) return O_RDONLY | O_CLOEXEC | O_NOFOLLOW;
  return O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | ((op.flags & DP_NAME_EXCLUSIVE) != 0 ? O_EXCL : 0);
}

// Writes `value` to the operation's `out`; 0, or -EINVAL when it has no room for it.
template <class Value>
std::int64_t give_out(void* out, std::uint32_t out_len, const Value& value) noexcept {
  if (out == nullptr || out_len < sizeof value) return -EINVAL;
  std::memcpy(out, &value, sizeof value);
  return 0;
}

// The folders that relative paths start from: a target that is a folder itself, else the one that it is in.
class LinuxNames {
 public:
  explicit LinuxNames(std::span<const dp_target> targets) {
    folders_.reserve(targets.size());
    for (const dp_target& target : targets) folders_.push_back(open_folder_of(target.spec));
  }
  LinuxNames(LinuxNames&& other) noexcept : folders_(std::exchange(other.folders_, {})) {}
  LinuxNames& operator=(LinuxNames&&) = delete;
  ~LinuxNames() {
    for (const int folder : folders_)
      if (folder >= 0) ::close(folder);
  }

  // What can be said of the operation before it is tried: 0 or -EINVAL.
  [[nodiscard]] std::int64_t fault_of(const dp_name_op& op) const noexcept {
    const bool has_path = op.path != nullptr || op.op == DP_NAME_CLOSE;
    const bool has_both = op.op != DP_NAME_RENAME || op.path2 != nullptr;
    return has_path && has_both && op.target < folders_.size() && op.op <= DP_NAME_SYNC ? 0 : -EINVAL;
  }
  [[nodiscard]] int folder(std::uint16_t target) const noexcept { return folders_[target]; }

  // 0, bytes, or -errno.
  [[nodiscard]] std::int64_t run(const dp_name_op& op) const noexcept {
    if (const std::int64_t fault = fault_of(op); fault != 0) return fault;
    const int at = op.op == DP_NAME_CLOSE ? -1 : folders_[op.target];
    switch (op.op) {
      case DP_NAME_CREATE:
      case DP_NAME_OPEN:
        return open_name(at, op);
      case DP_NAME_CLOSE:
        return status(::close(static_cast<int>(op.offset_or_handle)));
      case DP_NAME_STAT:
        return stat_name(at, op);
      case DP_NAME_UNLINK:
        return status(::unlinkat(at, op.path, 0));
      case DP_NAME_RENAME:
        return status(::renameat(at, op.path, at, op.path2));
      case DP_NAME_MKDIR:
        return status(::mkdirat(at, op.path, kFolderMode));
      case DP_NAME_RMDIR:
        return status(::unlinkat(at, op.path, AT_REMOVEDIR));
      case DP_NAME_TRUNCATE:
        return opened(at, op.path, O_WRONLY,
                      [&](int file) { return status(::ftruncate(file, static_cast<off_t>(op.offset_or_handle))); });
      case DP_NAME_READDIR:
        return opened(at, op.path, O_RDONLY | O_DIRECTORY, [&](int file) { return list_names(file, op); });
      default:
        return opened(at, op.path, O_RDONLY, [](int file) { return status(::fsync(file)); });
    }
  }

 private:
  static std::int64_t status(int result) noexcept { return result == 0 ? 0 : -errno; }

  // -1: there is no such folder, and relative paths fail.
  static int open_folder_of(const char* spec) {
    constexpr int kFlags = O_PATH | O_DIRECTORY | O_CLOEXEC;
    if (spec == nullptr || *spec == '\0') return -1;
    if (const int itself = ::open(spec, kFlags); itself >= 0) return itself;
    const std::string path = spec;
    const auto slash = path.rfind('/');
    return ::open(slash == std::string::npos ? "." : path.substr(0, slash + 1).c_str(), kFlags);
  }

  template <class Use>
  static std::int64_t opened(int at, const char* path, int flags, Use use) noexcept {
    const int file = ::openat(at, path, flags | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) return -errno;
    const std::int64_t result = use(file);
    ::close(file);
    return result;
  }

  static std::int64_t open_name(int at, const dp_name_op& op) noexcept {
    const int file = ::openat(at, op.path, open_flags(op), kFileMode);
    if (file < 0) return -errno;
    const std::int64_t result = give_out(op.out, op.out_len, static_cast<std::uint64_t>(file));
    if (result < 0) ::close(file);
    return result;
  }

  static std::int64_t stat_name(int at, const dp_name_op& op) noexcept {
    struct stat found {};
    if (::fstatat(at, op.path, &found, AT_SYMLINK_NOFOLLOW) != 0) return -errno;
    return give_out(op.out, op.out_len,
                    dp_name_stat{static_cast<std::uint64_t>(found.st_size), static_cast<std::uint64_t>(found.st_ino),
                                 S_ISDIR(found.st_mode) ? 1u : 0u, 0});
  }

  // By the system's own call: readdir of the C library allocates.
  static std::int64_t list_names(int folder, const dp_name_op& op) noexcept {
    struct Entry {  // linux_dirent64
      std::uint64_t inode;
      std::int64_t offset;
      std::uint16_t length;
      std::uint8_t type;
    };
    constexpr std::size_t kName = 19;  // offset of the name
    alignas(8) std::array<char, 4096> entries;
    std::uint32_t used = 0;
    for (;;) {
      const long got = ::syscall(SYS_getdents64, folder, entries.data(), entries.size());
      if (got < 0) return -errno;
      if (got == 0) return used;
      for (long at = 0; at < got;) {
        Entry entry{};
        std::memcpy(&entry, entries.data() + at, kName);
        const std::string_view name = entries.data() + at + kName;
        at += entry.length;
        if (name == "." || name == "..") continue;
        if (op.out == nullptr || name.size() + 1 > op.out_len - used) return -EINVAL;
        std::memcpy(static_cast<char*>(op.out) + used, name.data(), name.size() + 1);
        used += static_cast<std::uint32_t>(name.size() + 1);
      }
    }
  }

  std::vector<int> folders_;
};

}  // namespace dp
