// The engine: what it is, its options. The work is in the queue.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include <diskproof/engine.hpp>

namespace dp {

class IoUringQueue;

struct IoUringEngine {
  using Queue = IoUringQueue;
  static constexpr About kAbout{.name = "io_uring",
                                .version = "0.2.0",
                                .summary = "Linux io_uring, one ring per thread, registered files and buffers",
                                .capabilities = DP_CAP_FILES | DP_CAP_DEVICES | DP_CAP_NAMES | DP_CAP_NAMES_BLOCK,
                                .operations = dp::operations(DP_OP_READ, DP_OP_WRITE, DP_OP_TRIM, DP_OP_FSYNC,
                                                             DP_OP_FDATASYNC, DP_OP_WRITE_ZEROES),
                                .wait_granularity_ns = 100'000,  // timer slack (50 us unless lowered) and the wake-up
                                .max_depth = 32768};             // the kernel's limit of submission entries

  static constexpr const char* kModes = "auto|on|off";
  static constexpr std::int64_t kMillisecond = 1'000'000;
  static constexpr std::array kOptions{
      enum_option("fixed_buffers", "Register the buffers, so that they are not mapped for each I/O; on: or fail.",
                  kModes, "auto", DP_SCOPE_QUEUE),
      enum_option("registered_files", "Register the files, so that they are not looked up for each I/O; on: or fail.",
                  kModes, "auto", DP_SCOPE_QUEUE),
      option(DP_OPTION_BOOL, "sqpoll", "A kernel thread takes the submissions; it wants a core of its own.", "false", 0,
             0, DP_SCOPE_QUEUE),
      option(DP_OPTION_DURATION, "sqpoll_idle", "After so long without a submission the sqpoll thread sleeps.",
             "1000000000", kMillisecond, std::numeric_limits<std::int32_t>::max() * kMillisecond, DP_SCOPE_QUEUE),
      option(DP_OPTION_BOOL, "iopoll", "Poll the device for completions; needs direct I/O and polled device queues.",
             "false", 0, 0, DP_SCOPE_QUEUE)};

  static void probe(Host);
  IoUringEngine(Host host_, Options) : host(host_) {}

  Host host;
};

}  // namespace dp
