// The file system under a path: what kind, from where, how full.
#pragma once

#include <cstdint>
#include <string>

namespace diskproof {

struct FilesystemFacts {
  std::string type;                          // as the mount table says: "ext4", "tmpfs", "nfs4", "fuse.sshfs"
  std::string mount_point, source, options;  // without passwords
  std::uint64_t magic = 0;                   // Linux: of statfs
  std::uint64_t device = 0;                  // equal for paths on the same file system
  std::uint64_t size = 0;                    // bytes
  std::uint64_t available = 0;               // bytes that this user may still write
};

// `path` must exist.
FilesystemFacts filesystem_facts(const std::string& path);

}  // namespace diskproof
