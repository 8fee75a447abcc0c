// Who a process is, so that a later one can tell whether it still runs: a pid alone is used again.
#pragma once

#include <cstdint>
#include <string>

namespace diskproof {

struct ProcessIdentity {
  std::int64_t pid = 0;
  std::uint64_t start_time = 0;  // clock ticks since the system started
  std::string boot_id;           // of the system's start that both belong to

  bool operator==(const ProcessIdentity&) const = default;
};

ProcessIdentity current_process();

bool is_running(const ProcessIdentity& process);

}  // namespace diskproof
