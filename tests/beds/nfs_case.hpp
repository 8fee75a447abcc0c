// What the tests against the NFS server share.
#pragma once

#include <doctest/doctest.h>

#include "beds/nfs_server.hpp"
#include "beds/words.hpp"

namespace diskproof::testing {

inline bool skipped(const NfsServer& server) {
  if (server.fault().empty()) return false;
  MESSAGE("skipped: no NFS server, ", server.fault());
  return true;
}

}  // namespace diskproof::testing
