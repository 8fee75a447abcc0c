// The plan of a checked job on this machine.
#pragma once

#include <optional>

#include "cli/engine_source.hpp"
#include "cli/job_source.hpp"
#include "plan/plan.hpp"
#include "plan/planner.hpp"

namespace diskproof {

// Who and where a plan is for; the run id is fresh each time. The job gets the labels and, for a smoke run, is made
// small. Throws Error{bad_job} when `scope` names a phase that the job does not have.
PlanRequest plan_request(CheckedJob& checked, const Scope& scope);

// Prints diagnostics to `err`; nothing when the job is wrong. Throws Error when this machine cannot run it.
std::optional<Plan> plan_job(const CheckedJob& checked, const PlanRequest& request, EngineSource& engines,
                             std::ostream& err);

}  // namespace diskproof
