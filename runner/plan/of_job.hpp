// What a job alone decides of a phase's plan: everything but engine, targets, sizes and a drawn seed, which need the
// machine.
#pragma once

#include "job/job.hpp"
#include "plan/plan.hpp"

namespace diskproof {

PhasePlan phase_of_job(const Disk& disk, const Phase& phase);

}  // namespace diskproof
