// The option table of the simulated disk: what the runner checks, prints and documents.
#pragma once

#include <array>
#include <cstdint>

#include <diskproof/engine.hpp>

namespace sim {

inline constexpr std::int64_t kMost = 1'000'000'000'000;
inline constexpr std::int64_t kFar = 1LL << 60;  // bytes

constexpr dp_option count(const char* name, const char* help, std::int64_t most = kMost) {
  return dp::option(DP_OPTION_INTEGER, name, help, nullptr, 1, most);
}
constexpr dp_option size(const char* name, const char* help, std::int64_t least = 1) {
  return dp::option(DP_OPTION_SIZE, name, help, nullptr, least, kFar);
}
constexpr dp_option rate(const char* name, const char* help) {
  return dp::option(DP_OPTION_BANDWIDTH, name, help, nullptr, 1, kMost);
}
constexpr dp_option duration(const char* name, const char* help, const char* otherwise = nullptr) {
  return dp::option(DP_OPTION_DURATION, name, help, otherwise, 0, kMost);
}

inline constexpr std::array kOptions{
    // How long an operation is served.
    duration("service_time", "how long one operation is served; lognormal: the median", "100000"),
    dp::enum_option("distribution", "how service times are spread", "constant|uniform|lognormal|bimodal", "constant"),
    duration("spread", "uniform: service times are within service_time plus and minus this"),
    duration("service_time_p99", "lognormal: 99 % of the service times are at or below this"),
    duration("slow_time", "bimodal: service time of the slow operations"),
    count("slow_one_in", "bimodal: one operation in so many is slow, at random"),
    count("noise", "standard deviation of a factor on the service time, in percent", 100),
    count("noise_memory", "operations after which the noise has forgotten 63 %; absent: each has its own",
          1'000'000'000),
    dp::option(DP_OPTION_INTEGER, "seed", "seed of everything random", "1", 0, kMost),
    duration("depth_time", "added to the service time for each other operation of the phase in flight", "0"),
    count("parallelism", "operations of a phase that are served at once; absent: all", 1 << 20),
    dp::option(DP_OPTION_INTEGER, "cache_hits", "percent of the reads that a cache answers, at random", nullptr, 0,
               100),
    duration("cache_time", "service time of a cache hit, which passes all limits by"),
    count("tail_at", "the operation with this number is served for tail_time"),
    count("tail_every", "every Nth operation is served for tail_time"),
    duration("tail_time", "service time of the operations of tail_at and tail_every", "100000000"),
    // How many start.
    count("read_iops", "reads started per second; absent: no limit"),
    count("read_iops_burst", "the same while there are credits"),
    count("read_iops_credits", "operations above read_iops that can be saved up"),
    count("write_iops", "writes, trims and zeroings started per second; absent: no limit"),
    count("write_iops_burst", "the same while there are credits"),
    count("write_iops_credits", "operations above write_iops that can be saved up"),
    count("total_iops", "operations without syncs started per second; absent: no limit"),
    count("total_iops_burst", "the same while there are credits"),
    count("total_iops_credits", "operations above total_iops that can be saved up"),
    rate("read_bandwidth", "bytes read per second; absent: no limit"),
    rate("read_bandwidth_burst", "the same while there are credits"),
    size("read_bandwidth_credits", "bytes above read_bandwidth that can be saved up"),
    rate("write_bandwidth", "bytes written per second; absent: no limit"),
    rate("write_bandwidth_burst", "the same while there are credits"),
    size("write_bandwidth_credits", "bytes above write_bandwidth that can be saved up"),
    rate("total_bandwidth", "bytes moved per second; absent: no limit"),
    rate("total_bandwidth_burst", "the same while there are credits"),
    size("total_bandwidth_credits", "bytes above total_bandwidth that can be saved up"),
    dp::option(DP_OPTION_INTEGER, "credits_at_start", "percent of all credits that are there at first", "100", 0, 100),
    size("cliff_after", "bytes written to the disk after which writes fall to the cliff's limits"),
    count("cliff_write_iops", "writes started per second behind the cliff"),
    rate("cliff_write_bandwidth", "bytes written per second behind the cliff"),
    // What goes wrong.
    count("error_every", "every Nth operation fails with error_code"),
    count("error_at", "the Nth operation fails with error_code"),
    size("error_offset", "only operations that touch the range from here fail, and are counted", 0),
    size("error_length", "length of the range of error_offset"),
    dp::enum_option("error_on", "the operations that fail, and are counted", "any|read|write|trim|sync", "any"),
    dp::enum_option("error_code", "the error they fail with",
                    "eio|enospc|einval|eacces|enomem|enotsup|etimedout|enodev", "eio"),
    count("short_every", "every Nth read or write moves half its bytes"),
    count("short_at", "the Nth read or write moves half its bytes"),
    count("stuck_at", "the operation with this number never completes"),
    dp::option(DP_OPTION_BOOL, "ignore_cancel",
               "an operation that is stuck or waits its turn does not end when it is cancelled", "false"),
    count("abort_at", "the process aborts at this operation"),
    count("exit_at", "the process exits with code 7 at this operation"),
    count("hang_at", "submit never returns from this operation"),
    // What stands on it.
    dp::option(DP_OPTION_BOOL, "content", "writes are kept, in the run's state folder, and read back", "false"),
    dp::enum_option("fault", "what happens to the chosen writes, with stale to the chosen reads",
                    "none|bit_flip|torn|misplaced|lost|lost_unless_flushed|lost_though_flushed|stale", "none"),
    count("fault_every", "every Nth write or read is chosen"),
    count("fault_at", "the Nth write or read is chosen"),
    size("fault_offset", "only those that touch the range from here are chosen, and counted", 0),
    size("fault_length", "length of the range of fault_offset"),
};

}  // namespace sim
