// A network file system as it is mounted here, and what of that is remarkable about a measurement.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "metrics/network_totals.hpp"
#include "metrics/phase_metrics.hpp"

namespace diskproof {

struct NetworkMount {
  std::string kind;                             // "nfs", "cifs", "ceph", "lustre", "glusterfs", "9p", "sshfs"…
  std::string server;                           // as the mount names it; empty: it does not
  std::string version;                          // of the protocol: "4.2", "3.1.1"; empty: unknown
  std::uint64_t read_size = 0, write_size = 0;  // bytes that one request moves at most; 0: unknown
  bool user_space = false;                      // its client is a FUSE process, which may cache by itself
};

// How a phase uses it.
struct NetworkLoad {
  std::uint64_t read_block = 0, write_block = 0;  // bytes, the largest; 0: does not read or write
  bool direct = false;
};

// Options that change what is measured, and blocks that take several requests. `options`: as the mount table has them.
std::optional<std::string> remarkable_mount(const NetworkMount& mount, const std::string& options,
                                            const NetworkLoad& load);

// Why a client's cache took part, or may have. `counted`: absent where the client counts nothing.
std::optional<std::string> client_cache(const NetworkMount& mount, const std::optional<NetworkTotals>& counted,
                                        const NetworkLoad& load, const PhaseMetrics& metrics);

}  // namespace diskproof
