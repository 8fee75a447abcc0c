// Phases that ran at the same time, as one: over the whole run, and over the window that they have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "metrics/run_data.hpp"

namespace diskproof {

struct Member {
  const RunData* data = nullptr;
  std::uint64_t anchor = 0;  // ns since the go of all: where its row 0 begins
};

// From the first that began to the last that ended. Counts, histograms and rows are sums; a row has no percentiles, as
// those of different phases do not add up. `stall_max` is the longest of one member. Preconditions: there is one; the
// grid is the same, and the anchors are whole intervals apart.
RunData sum_members(std::span<const Member> members);

// The full intervals in which every member was measuring: rows and their sums only (RunData::partial). Absent where
// there is none.
std::optional<RunData> common_window(std::span<const Member> members);

}  // namespace diskproof
