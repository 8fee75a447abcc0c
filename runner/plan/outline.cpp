// The same order as the planner's: a disk's layout phase stands before the first phase that needs it.
#include "plan/outline.hpp"

#include <algorithm>
#include <set>
#include <span>

#include "plan/group_phase.hpp"
#include "plan/layout_phase.hpp"
#include "plan/of_job.hpp"
#include "plan/precondition.hpp"
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

void add_layout(const Job& job, const Phase& phase, std::set<std::string>& laid_out, Plan& plan) {
  const Disk* disk = disk_of(job, phase);
  if (disk == nullptr || wanted_layout(*disk, phase) == Layout::none || !laid_out.insert(phase.disk).second) return;
  PhasePlan& layout = plan.phases.emplace_back(named(layout_name(phase.disk), PhaseKind::layout, phase.disk));
  const bool written = std::ranges::any_of(job.phases, [&](const Phase& other) {
    return other.disk == phase.disk && wanted_layout(*disk, other) == Layout::written;
  });
  layout.layout = written ? Layout::written : Layout::allocated;
}

// Those of a whole group stand before its first phase.
void add_layouts(const Job& job, const Group* group, const Phase& phase, std::set<std::string>& laid_out, Plan& plan) {
  if (group == nullptr) return add_layout(job, phase, laid_out, plan);
  for (const std::size_t member : group->phases) add_layout(job, job.phases[member], laid_out, plan);
}

PhasePlan outline_phase(const Job& job, const Phase& phase) {
  const Disk* disk = disk_of(job, phase);
  return disk == nullptr ? named(phase.name, PhaseKind::measure, phase.disk) : phase_of_job(*disk, phase);
}

// Before the phase, or before all phases of its group.
void add_fills(const Job& job, const Group* group, const Phase& phase, Plan& plan) {
  const auto add = [&](const Phase& one) {
    if (!one.precondition) return;
    for (PhasePlan& fill : make_preconditions(*one.precondition, outline_phase(job, one), 0)) {
      plan.phases.push_back(std::move(fill));
    }
  };
  if (group == nullptr) return add(phase);
  for (const std::size_t member : group->phases) add(job.phases[member]);
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
  plan.smoke = request.smoke;
  plan.max_written = job.max_written.value_or(0);
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
    if (disk.kind == DiskKind::mount) outline.share = disk.share;
    outline.identity = disk.identity;
    outline.destroy = disk.destroy;
    outline.filesystem = disk.filesystem;
    outline.prepare = disk.prepare;
    outline.throttle = disk.throttle;
    plan.disks.push_back(std::move(outline));
  }
  std::set<std::string> laid_out;
  std::size_t done = 0;  // groups
  for (std::size_t i = 0; i < job.phases.size(); ++i) {
    const Phase& phase = job.phases[i];
    const Group* group = done < job.groups.size() && phase.group == job.groups[done].name ? &job.groups[done] : nullptr;
    add_layouts(job, group, phase, laid_out, plan);
    if (group == nullptr || i == group->phases.front()) add_fills(job, group, phase, plan);
    if (!phase.only_precondition) plan.phases.push_back(outline_phase(job, phase));
    if (group == nullptr) continue;
    join_group(job, *group, plan.phases.back());
    if (i != group->phases.back()) continue;
    const std::size_t count = group->phases.size();
    const std::span members(plan.phases.end() - static_cast<std::ptrdiff_t>(count), count);
    plan.phases.push_back(make_group_phase(job, *group, members));
    ++done;
  }
  return plan;
}

}  // namespace diskproof
