// nfs://SERVER[:PORT]/PATH[?version=3|4&nfsport=N&mountport=N&uid=N&gid=N][#INNER]: where a target is. INNER is a path
// below the folder that the rest leads to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nfs {

struct Url {
  std::string server;
  std::string path;   // begins with a slash, ends without one unless it is the root
  std::string inner;  // without a slash at its ends; empty: the path itself
  unsigned version = 3;
  std::optional<std::uint32_t> port, mount_port, uid, gid;

  // Same server, path and arguments?
  [[nodiscard]] bool same_share(const Url& other) const;
};

// Throws dp::EngineError{DP_EINVAL} that says what is wrong; never repeats what may be a password.
Url parse_url(std::string_view text);

}  // namespace nfs
