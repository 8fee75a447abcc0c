// The engine itself: what it is, its options.
#pragma once

#include <array>
#include <cstdint>

#include <diskproof/engine.hpp>

#include "nfs_connection_linux.hpp"

namespace nfs {

inline constexpr std::uint32_t kMostConnections = 16;

struct Engine {
  using Queue = class Queue;
  static constexpr dp::About kAbout{.name = "nfs",
                                    .version = "0.1.0",
                                    .summary = "NFS version 3 and 4 without a mount, by libnfs",
                                    .capabilities = DP_CAP_URLS | DP_CAP_NAMES | DP_CAP_STAMPS,
                                    .operations = dp::operations(DP_OP_READ, DP_OP_WRITE, DP_OP_FSYNC, DP_OP_FDATASYNC),
                                    .wait_granularity_ns = 5'000'000};  // answers that lie ready are read whole
  static constexpr std::array kOptions{
      dp::option(DP_OPTION_INTEGER, "connections", "TCP connections of each thread; its queue is spread over them", "1",
                 1, kMostConnections),
      dp::option(DP_OPTION_DURATION, "timeout",
                 "time that the server has to answer a request, after which it fails; whole seconds", "30000000000",
                 1'000'000'000, 600'000'000'000),
      dp::option(DP_OPTION_BOOL, "reconnect",
                 "opens a lost connection again and repeats what was in flight, instead of failing it", "false")};

  static void probe(dp::Host) {}  // a machine that loads libnfs can use it
  Engine(dp::Host host_, dp::Options options);

  dp::Host host;
  std::uint32_t connections;
  Policy policy;
};

}  // namespace nfs
