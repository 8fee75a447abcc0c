// smb://[[DOMAIN;]USER@]SERVER[:PORT]/SHARE[/PATH][#INNER]: where a target is. INNER is a path below the folder that
// the rest leads to. Names are taken as they stand; nothing in them is an escape.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace smb {

struct Url {
  std::string domain, user;  // empty: not named
  std::string server, share;
  std::string path;        // below the share, without slashes at its ends; empty: the share itself
  std::string inner;       // the same; empty: the path itself
  std::uint32_t port = 0;  // 0: the protocol's own

  // Same user, server, port, share and path?
  [[nodiscard]] bool same_place(const Url& other) const;
};

// Throws dp::EngineError{DP_EINVAL} that says what is wrong; never repeats what may be a password.
Url parse_url(std::string_view text);

}  // namespace smb
