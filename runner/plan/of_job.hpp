// What a job alone decides of a phase's plan: everything but engine, targets, sizes and a drawn seed, which need the
// machine.
#pragma once

#include <cstdint>

#include "job/job.hpp"
#include "plan/plan.hpp"

namespace diskproof {

// 0 for what is negative.
std::uint64_t ns_of(Nanoseconds time);

// The disk that it names; null: the job has none of that name.
const Disk* disk_of(const Job& job, const Phase& phase);

PhasePlan phase_of_job(const Disk& disk, const Phase& phase);

}  // namespace diskproof
