// What the simulated disk is told to do: the options in their parsed form, times in ticks of the host's clock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <diskproof/engine.hpp>

namespace sim {

enum class Distribution { constant, uniform, lognormal, bimodal };

struct ServiceSpec {
  Distribution distribution = Distribution::constant;
  std::uint64_t time = 0;         // constant, the middle of uniform, the median of lognormal, the fast side of bimodal
  std::uint64_t spread = 0;       // uniform: to both sides
  double sigma = 0;               // lognormal: standard deviation of the logarithm
  std::uint64_t slow_time = 0;    // bimodal
  std::uint64_t slow_one_in = 0;  // bimodal
  double noise = 0;               // standard deviation of the factor on each time
  std::uint64_t noise_memory = 1;
  std::uint64_t seed = 0;
};

// Which operations something happens to. It counts those that it is for, from 1, over all queues of the engine.
struct Selector {
  std::uint64_t operations = 0;          // mask of enum dp_op
  std::uint64_t offset = 0, length = 0;  // touching this range; length 0: anywhere
  std::uint64_t every = 0, at = 0;       // 0: not given
  bool all = false;                      // neither is given: every one
  [[nodiscard]] bool active() const noexcept { return all || every != 0 || at != 0; }
};

enum LimitName : std::size_t {
  kReadIops,
  kWriteIops,
  kTotalIops,
  kReadBandwidth,
  kWriteBandwidth,
  kTotalBandwidth,
  kCliffIops,
  kCliffBandwidth,
  kLimits
};

// What happens to the writes (stale: the reads) that are chosen.
enum class Fault { none, bit_flip, torn, misplaced, lost, lost_unless_flushed, lost_though_flushed, stale };

struct LimitSpec {
  std::uint64_t rate = 0;     // units per second; 0: no limit
  std::uint64_t burst = 0;    // units per second while there are credits
  std::uint64_t credits = 0;  // units
};

// 0 in a field whose name ends in _at means never.
struct Script {
  ServiceSpec service;
  std::uint64_t depth_time = 0;   // for each other operation in flight
  std::uint64_t parallelism = 0;  // operations served at once; 0: no limit
  std::uint64_t cache_hits = 0;   // percent of the reads
  std::uint64_t cache_time = 0;
  std::array<LimitSpec, kLimits> limits{};
  std::uint64_t credits_at_start = 100;  // percent
  std::uint64_t cliff_after = 0;         // bytes written; 0: no cliff
  Selector errors, shorts, tail, faults;
  dp_code error_code = DP_EIO;
  std::uint32_t error_number = 0;  // errno of error_code
  std::uint64_t tail_time = 0;
  std::uint64_t stuck_at = 0, abort_at = 0, exit_at = 0, hang_at = 0;
  bool ignore_cancel = false;
  bool content = false;
  Fault fault = Fault::none;
};

// Throws dp::EngineError for options that contradict each other.
Script parse_script(const dp::Host& host, const dp::Options& options);

}  // namespace sim
