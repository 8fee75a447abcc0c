// Device first, file system next.
#include "plan/disk_steps.hpp"

#include <algorithm>

#include "plan/enum_names.hpp"

namespace diskproof {
namespace {

void add_prepare(const DiskPlan& disk, bool of_filesystem, std::vector<std::string>& steps) {
  for (const PrepareStep& step : disk.prepare) {
    if (is_of_filesystem(step.kind) == of_filesystem) steps.emplace_back(name_of(step.kind));
  }
}

}  // namespace

std::vector<std::string> disk_steps(const DiskPlan& disk) {
  std::vector<std::string> steps;
  if (disk.kind == DiskKind::loop) steps.emplace_back("attach");
  if (disk.kind == DiskKind::loop || disk.kind == DiskKind::device) steps.emplace_back("open");
  add_prepare(disk, false, steps);
  if (disk.filesystem) steps.push_back("mkfs." + disk.filesystem->type);
  if (disk.kind == DiskKind::mount || disk.filesystem) steps.emplace_back("mount");
  add_prepare(disk, true, steps);
  if (!disk.throttle.values.empty()) steps.emplace_back("throttle");
  return steps;
}

bool is_used(const Plan& plan, const DiskPlan& disk) {
  return std::ranges::any_of(plan.phases,
                             [&](const PhasePlan& phase) { return phase.disk == disk.name && phase.skip.empty(); });
}

bool is_written(const Plan& plan, const DiskPlan& disk) {
  const bool prepared = std::ranges::any_of(disk.prepare, [](const PrepareStep& step) {
    return step.kind == PrepareKind::discard || step.kind == PrepareKind::secure_discard ||
           step.kind == PrepareKind::wipe;
  });
  return prepared || disk.filesystem || std::ranges::any_of(plan.phases, [&](const PhasePlan& phase) {
           const bool writes = phase.operations.write > 0 || phase.operations.trim > 0;
           return phase.disk == disk.name && phase.skip.empty() && writes;
         });
}

}  // namespace diskproof
