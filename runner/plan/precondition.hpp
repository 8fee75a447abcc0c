// The phases that fill a region before the phase that asks for it.
#pragma once

#include <string>
#include <vector>

#include "job/job.hpp"
#include "plan/plan.hpp"

namespace diskproof {

// In order of execution; `phase` is the plan of the phase that asks for them and lends engine, targets, region and
// times. What they do alone depends on the job, also where `phase` is skipped.
std::vector<PhasePlan> make_preconditions(const Precondition& fills, const PhasePlan& phase,
                                          std::uint64_t memory_limit);

}  // namespace diskproof
