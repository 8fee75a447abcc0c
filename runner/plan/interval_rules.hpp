// Whether a phase or a group has the intervals that a threshold is about: known before the run where a duration ends
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "job/job.hpp"
#include "verdict/threshold_expr.hpp"

namespace diskproof {

// Of the phase, or of the parallel group that it is in. ns.
std::uint64_t interval_width(const Job& job, const Phase& phase);

struct TooFewIntervals {
  std::string reason;
  std::string hint;
};

std::optional<TooFewIntervals> too_few_intervals(const Job& job, const Phase& phase, const ThresholdExpr& expr);

// In the time that the phases of a parallel group have in common, which any threshold of the group needs one of.
std::optional<TooFewIntervals> too_few_intervals(const Job& job, const Group& group, const ThresholdExpr& expr);

}  // namespace diskproof
