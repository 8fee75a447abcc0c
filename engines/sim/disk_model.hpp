// The simulated disk: decides for each operation when it ends and how. Shared by all queues of an engine.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "script.hpp"

namespace sim {

// Spaces starts so that `units` per second are never exceeded, without any rounding drift. Idle time is not saved up.
class Pacer {
 public:
  Pacer(std::uint64_t units_per_second, std::uint64_t ticks_per_second)
      : rate_(units_per_second), ticks_per_second_(ticks_per_second) {}
  // The earliest start at or after `at` for an operation that costs `units`.
  std::uint64_t start(std::uint64_t at, std::uint64_t units) noexcept;

 private:
  std::uint64_t rate_;  // 0: no limit
  std::uint64_t ticks_per_second_;
  std::uint64_t next_ = 0;       // ticks
  std::uint64_t remainder_ = 0;  // of a tick, in 1/rate_
};

enum class Ending { completes, stuck, hang };

struct Fate {
  Ending ending = Ending::completes;
  std::uint64_t done_at = 0;  // ticks
  std::int64_t result = 0;
  std::uint32_t os_code = 0;
};

// start = max(submit, a free server, the pacers); done = start + service time.
class DiskModel {
 public:
  DiskModel(const Script& script, std::uint64_t ticks_per_second);
  // Decides one operation submitted at `now`. Ends the process where the script says so. Any thread.
  Fate serve(const dp_io& io, std::uint64_t now) noexcept;
  [[nodiscard]] const Script& script() const noexcept { return script_; }

 private:
  std::uint64_t start_of(const dp_io& io, std::uint64_t now) noexcept;

  const Script script_;
  std::mutex mutex_;
  std::uint64_t operations_ = 0;
  Pacer read_iops_, write_iops_, total_iops_, read_bytes_, write_bytes_, total_bytes_;
  std::vector<std::uint64_t> servers_;  // heap, earliest first: when each is free; empty: no limit
};

}  // namespace sim
