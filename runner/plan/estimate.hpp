// How long a plan takes and what it writes, as far as that can be known before it runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.hpp"

namespace diskproof {

// Not below `least`, and not above `most`, which is absent where nothing bounds it.
struct Range {
  std::uint64_t least = 0;
  std::optional<std::uint64_t> most = 0;

  [[nodiscard]] bool exact() const { return most == least; }
  Range& operator+=(const Range& other);
  Range& operator*=(std::uint64_t times);
};

// Bytes that the phase writes, its warm-up included.
Range bytes_written(const Plan& plan, const PhasePlan& phase);

// Nanoseconds from the phase's pause to its end.
Range time_taken(const PhasePlan& phase);

struct DiskEstimate {
  std::string disk;
  Range written;
};

struct Estimate {
  Range time;                       // of all phases, without preparation and undo
  Range written;                    // to all disks
  std::vector<DiskEstimate> disks;  // in the plan's order
};

Estimate estimate(const Plan& plan);

// "1 GiB", "at least 1 GiB", "at most 1 GiB", "1 GiB to 2 GiB", "unknown".
std::string bytes_text(const Range& range);
std::string time_text(const Range& range);

}  // namespace diskproof
