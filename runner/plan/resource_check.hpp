// What phases need of this machine: memory for their buffers, and CPUs.
#pragma once

#include <vector>

#include "job/job.hpp"
#include "plan/machine_view.hpp"
#include "plan/plan.hpp"

namespace diskproof {

struct MemoryBudget {
  std::uint64_t limit = 0;    // bytes that buffers may take
  bool set_by_job = false;    // else a share of
  AvailableMemory available;  // what there is
};

MemoryBudget memory_budget(const Job& job, const MachineView& machine);

// They throw Error{unavailable}. The second is for the phases of a group that run at the same time.
void check_memory(const PhasePlan& phase, const MemoryBudget& memory);
void check_memory(const Group& group, const std::vector<PhasePlan>& members, const MemoryBudget& memory);
void check_cpus(const PhasePlan& phase, const MachineView& machine);

}  // namespace diskproof
