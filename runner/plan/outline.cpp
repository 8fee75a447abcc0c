// The same order as the planner's: a disk's layout phase stands before the first phase that needs it.
#include "plan/outline.hpp"

#include <algorithm>
#include <set>

#include "plan/layout_phase.hpp"
#include "plan/of_job.hpp"
#include "support/version.hpp"

namespace diskproof {
namespace {

PhasePlan named(const std::string& name, PhaseKind kind, const std::string& disk) {
  PhasePlan phase;
  phase.name = name;
  phase.kind = kind;
  phase.disk = disk;
  return phase;
}

}  // namespace

Plan outline_plan(const Job& job, const PlanRequest& request) {
  Plan plan;
  plan.job_file = job.file;
  plan.job_name = job.name;
  plan.description = job.description;
  plan.labels = job.labels;
  plan.run_id = request.run_id;
  plan.out_dir = request.out_dir;
  plan.tool_version = kVersion;
  if (job.timeout) plan.timeout = static_cast<std::uint64_t>(job.timeout->count());
  plan.memory_limit = job.memory_limit.value_or(0);
  for (const Disk& disk : job.disks) {
    DiskPlan outline;
    outline.name = disk.name;
    outline.kind = disk.kind;
    outline.path = disk.path;
    outline.capacity = disk.capacity.value_or(0);
    outline.keep = disk.keep;
    outline.fill = disk.fill;
    outline.overwrite = disk.overwrite;
    outline.limits = disk.limits;
    plan.disks.push_back(std::move(outline));
  }
  std::set<std::string> laid_out;
  for (const Phase& phase : job.phases) {
    const auto disk = std::find_if(job.disks.begin(), job.disks.end(),
                                   [&](const Disk& candidate) { return candidate.name == phase.disk; });
    const bool needs_layout = disk != job.disks.end() && wanted_layout(*disk, phase) != Layout::none;
    if (needs_layout && laid_out.insert(phase.disk).second) {
      plan.phases.push_back(named(layout_name(phase.disk), PhaseKind::layout, phase.disk));
    }
    if (disk == job.disks.end()) {
      plan.phases.push_back(named(phase.name, PhaseKind::measure, phase.disk));
    } else {
      plan.phases.push_back(phase_of_job(*disk, phase));
    }
  }
  return plan;
}

}  // namespace diskproof
