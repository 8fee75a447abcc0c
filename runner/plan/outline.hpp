// What a job alone says of its plan: names and order of phases. A run that could not be planned is reported with it, so
// that its report has the same test cases as one that could.
#pragma once

#include "job/job.hpp"
#include "plan/planner.hpp"

namespace diskproof {

// Not for execution: engines, sizes and targets are missing.
Plan outline_plan(const Job& job, const PlanRequest& request);

}  // namespace diskproof
