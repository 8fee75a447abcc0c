// The entry of a group in the plan: it stands behind the group's phases and speaks for all of them.
#pragma once

#include <cstdint>
#include <span>

#include "job/job.hpp"
#include "plan/plan.hpp"

namespace diskproof {

// The intervals of phases that run at the same time are summed, so they have one grid: the one that the job gives, else
// the finest of the phases' defaults. ns.
std::uint64_t common_grid(const Job& job, const Group& group);

// `members` are the plans of the group's phases, or what the job alone says of them.
PhasePlan make_group_phase(const Job& job, const Group& group, std::span<const PhasePlan> members);

// What the job alone says of the group's phases: their disks and limits.
std::vector<PhasePlan> members_of_job(const Job& job, const Group& group);

// What a phase of a group has because of it.
void join_group(const Job& job, const Group& group, PhasePlan& member);

}  // namespace diskproof
