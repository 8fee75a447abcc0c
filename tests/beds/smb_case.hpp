// What the tests against the SMB server share.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>

#include "beds/smb_server.hpp"
#include "beds/words.hpp"

namespace diskproof::testing {

inline bool skipped(const SmbServer& server) {
  if (server.fault().empty()) return false;
  MESSAGE("skipped: no SMB server, ", server.fault());
  return true;
}

// `options` begin with a comma.
inline std::string smb_engine(const std::string& options = "") {
  return fmt::format("engine: {{name: smb, password_env: {}{}}}", SmbServer::kPasswordVariable, options);
}

}  // namespace diskproof::testing
