// The plan of one disk: where it is, which files it has and how large they are.
#pragma once

#include "job/diagnostic.hpp"
#include "job/job.hpp"
#include "plan/chosen_phases.hpp"
#include "plan/machine_view.hpp"
#include "plan/plan.hpp"
#include "plan/planner.hpp"

namespace diskproof {

// Says in `disk`, a copy of the job's, what its sizes are shares of. Throws Error{unavailable}.
DiskPlan plan_disk(const Job& job, Disk& disk, const PlanRequest& request, const MachineView& machine,
                   const ChosenPhases& chosen);

// No two disks have one file. Throws Error{unavailable} for a path that cannot be planned with.
void check_paths(const Job& job, const Plan& plan, Diagnostics& diagnostics);

}  // namespace diskproof
