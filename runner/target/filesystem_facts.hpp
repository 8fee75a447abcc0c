// The file system under a path: what kind, from where, how full.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace diskproof {

struct FilesystemFacts {
  std::string type;  // as the mount table says: "ext4", "tmpfs", "nfs4", "fuse.sshfs"
  std::string mount_point, source, options;
  std::uint64_t device = 0;     // equal for paths on the same file system
  std::uint64_t size = 0;       // bytes
  std::uint64_t available = 0;  // bytes that this user may still write
};

// `path` must exist. `mount_table` is in the format of /proc/self/mountinfo.
FilesystemFacts filesystem_facts(const std::string& path, const std::string& mount_table = "/proc/self/mountinfo");

// The mount that holds an absolute path without symbolic links; its sizes stay 0. Without a match all is empty.
FilesystemFacts find_mount(std::string_view mountinfo, std::string_view path);

}  // namespace diskproof
