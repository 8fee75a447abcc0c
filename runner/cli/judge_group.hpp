// From the phases of a group to its entry in the report: sums over the whole run, the window that they have in common,
// thresholds, outcome. Pure.
#pragma once

#include <span>
#include <string>

#include "plan/plan.hpp"
#include "report/run_report.hpp"

namespace diskproof {

// `phases` and `plans` are the group's, in order.
PhaseReport judge_group(const PhasePlan& group, std::span<const PhasePlan> plans, std::span<const PhaseReport> phases);

}  // namespace diskproof
