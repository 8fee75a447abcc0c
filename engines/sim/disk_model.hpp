// The simulated disk: decides for each operation when it ends and how. Shared by all queues of an engine.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <vector>

#include "disk_memory.hpp"
#include "selector.hpp"
#include "service_time.hpp"

namespace sim {

enum class Ending { completes, stuck, hangs, aborts, exits };

struct Fate {
  Ending ending = Ending::completes;
  std::uint64_t started_at = 0;  // ticks: until then it waits for a server or a limit
  std::uint64_t done_at = 0;     // ticks
  std::int64_t result = 0;
  std::uint32_t os_code = 0;
  std::uint64_t fault_number = 0;  // the operation's, where it is chosen for the content's fault
};

// start = max(submit, a free server, the limits); done = start + service time. Operations are admitted in the order of
// their submission: one that waits for a limit of its own holds up those behind it at the limits that they share.
class DiskModel {
 public:
  DiskModel(const Script& script, std::uint64_t ticks_per_second);

  // Puts the disk on its memory, before the first operation. `alone`: no other process works on it.
  void attach(DiskMemory& memory, bool alone, std::uint64_t now);
  // A queue that holds so many operations is to be opened: from then on nothing allocates.
  void expect(std::uint32_t depth);

  // Decides one operation submitted at `now`. Any thread.
  Fate serve(const dp_io& io, std::uint64_t now) noexcept;
  [[nodiscard]] const Script& script() const noexcept { return script_; }

 private:
  [[nodiscard]] Ending ending_of(std::uint64_t number) const noexcept;
  [[nodiscard]] bool is_cached(const dp_io& io, std::uint64_t number) const noexcept;
  void time(const dp_io& io, std::uint64_t now, bool is_tail, Fate& fate) noexcept;
  std::uint64_t start_of(const dp_io& io, std::uint64_t now) noexcept;
  std::uint64_t limited(LimitName name, std::uint64_t at, std::uint64_t units) noexcept;
  std::uint64_t behind_cliff(const dp_io& io, std::uint64_t at) noexcept;
  std::uint64_t company_at(std::uint64_t now) noexcept;

  const Script script_;
  const std::array<Limit, kLimits> limits_;
  ServiceTime service_;
  const Dice dice_;
  Finder errors_, shorts_, tail_, faults_;
  std::uint64_t operations_ = 0;
  std::vector<std::uint64_t> servers_;    // heap, earliest first: when each is free; empty: no limit
  std::vector<std::uint64_t> in_flight_;  // heap, earliest first: when each is done; only kept for depth_time
  std::uint64_t expected_ = 0;            // operations of all queues that were opened
  DiskMemory* memory_ = nullptr;          // set by attach
};

}  // namespace sim
