// What the simulated disk is told to do: the option table and its parsed form.
#pragma once

#include <array>
#include <cstdint>

#include <diskproof/engine.hpp>

namespace sim {

// Operation numbers count every operation that submit takes, from 1, over all queues of one engine. 0 in a field whose
// name ends in _at or _every means never.
struct Script {
  std::uint64_t service_time = 0;                                              // ticks
  std::uint64_t parallelism = 0;                                               // operations served at once; 0: no limit
  std::uint64_t read_iops = 0, write_iops = 0, total_iops = 0;                 // 1/s; 0: no limit
  std::uint64_t read_bandwidth = 0, write_bandwidth = 0, total_bandwidth = 0;  // bytes/s; 0: no limit
  std::uint64_t error_every = 0;
  dp_code error_code = DP_EIO;
  std::uint32_t error_number = 0;  // errno of error_code
  std::uint64_t short_every = 0;
  std::uint64_t stuck_at = 0, abort_at = 0, exit_at = 0, hang_at = 0, tail_at = 0;
  std::uint64_t tail_time = 0;  // ticks
  bool ignore_cancel = false;
};

Script parse_script(const dp::Host& host, const dp::Options& options);

inline constexpr std::int64_t kMost = 1'000'000'000'000;

inline constexpr std::array kOptions{
    dp::option(DP_OPTION_DURATION, "service_time", "how long one operation is served", "100000", 0, kMost),
    dp::option(DP_OPTION_INTEGER, "parallelism", "operations served at once; absent: all", nullptr, 1, 1 << 20),
    dp::option(DP_OPTION_INTEGER, "read_iops", "reads started per second; absent: no limit", nullptr, 1, kMost),
    dp::option(DP_OPTION_INTEGER, "write_iops", "writes, trims and zeroings started per second", nullptr, 1, kMost),
    dp::option(DP_OPTION_INTEGER, "total_iops", "operations without syncs started per second", nullptr, 1, kMost),
    dp::option(DP_OPTION_SIZE, "read_bandwidth", "bytes read per second; absent: no limit", nullptr, 1, kMost),
    dp::option(DP_OPTION_SIZE, "write_bandwidth", "bytes written per second; absent: no limit", nullptr, 1, kMost),
    dp::option(DP_OPTION_SIZE, "total_bandwidth", "bytes moved per second; absent: no limit", nullptr, 1, kMost),
    dp::option(DP_OPTION_INTEGER, "error_every", "every Nth operation fails with error_code", nullptr, 1, kMost),
    dp::enum_option("error_code", "the error of error_every",
                    "eio|enospc|einval|eacces|enomem|enotsup|etimedout|enodev", "eio"),
    dp::option(DP_OPTION_INTEGER, "short_every", "every Nth read or write moves half its bytes", nullptr, 1, kMost),
    dp::option(DP_OPTION_INTEGER, "stuck_at", "the operation with this number never completes", nullptr, 1, kMost),
    dp::option(DP_OPTION_BOOL, "ignore_cancel", "a stuck operation stays stuck when it is cancelled", "false"),
    dp::option(DP_OPTION_INTEGER, "tail_at", "the operation with this number is served for tail_time", nullptr, 1,
               kMost),
    dp::option(DP_OPTION_DURATION, "tail_time", "service time of the operation tail_at", "100000000", 0, kMost),
    dp::option(DP_OPTION_INTEGER, "abort_at", "the process aborts at this operation", nullptr, 1, kMost),
    dp::option(DP_OPTION_INTEGER, "exit_at", "the process exits with code 7 at this operation", nullptr, 1, kMost),
    dp::option(DP_OPTION_INTEGER, "hang_at", "submit never returns from this operation", nullptr, 1, kMost),
};

}  // namespace sim
