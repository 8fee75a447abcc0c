// One worker's queue on the simulated disk. Completions come in order of their time, and dp_done.ticks is that time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim_engine.hpp"

namespace sim {

class SimQueue {
 public:
  SimQueue(SimEngine& engine, const dp_queue_params& params);
  std::int32_t submit(std::span<const dp_io> ios) noexcept;
  std::int32_t reap(std::span<dp_done> done, std::uint32_t min, std::uint64_t timeout_ns) noexcept;
  // Ends what is stuck or still waits for a server or a limit; what is served ends in its own time.
  std::int32_t cancel(std::uint32_t tag) noexcept;
  void target_info(std::uint32_t target, dp_target_info& info) const;

 private:
  struct Pending {
    std::uint64_t started_at, done_at;
    std::uint64_t sequence;  // of acceptance; decides between equal times
    std::int64_t result;
    std::uint32_t tag, os_code;
  };
  static bool later(const Pending& a, const Pending& b) noexcept;

  Fate serve(const dp_io& io, std::uint64_t now) noexcept;
  [[nodiscard]] bool is_inside(const dp_io& io) const noexcept;
  [[nodiscard]] std::size_t in_flight() const noexcept { return pending_.size() + stuck_count_; }
  void end_waiting(std::uint32_t tag, std::uint64_t now) noexcept;
  void push(const Pending& io) noexcept;  // within the reserved capacity
  std::size_t take_due(std::span<dp_done> done, std::size_t count, std::uint64_t now) noexcept;
  [[noreturn]] void end(Ending ending) const noexcept;

  const dp::Host host_;
  DiskModel& disk_;
  const std::vector<Content*> contents_;  // by target; empty: nothing is kept
  std::vector<std::uint64_t> sizes_;      // by target
  std::vector<bool> stuck_;               // by tag; its size is the depth
  std::size_t stuck_count_ = 0;
  std::vector<Pending> pending_;  // heap, the earliest completion in front
  std::uint64_t sequence_ = 0;
};

}  // namespace sim
