// Disk and limits are the group's where all of its phases have the same.
#include "plan/group_phase.hpp"

#include <algorithm>

#include "plan/timeouts.hpp"

namespace diskproof {
namespace {

bool same_limits(const std::vector<LimitGroup>& a, const std::vector<LimitGroup>& b) {
  return std::ranges::equal(a, b, [](const LimitGroup& one, const LimitGroup& other) {
    return one.name == other.name && one.values == other.values;
  });
}

}  // namespace

std::uint64_t common_grid(const Job& job, const Group& group) {
  std::uint64_t finest = 0, given = 0;
  for (const std::size_t member : group.phases) {
    const Phase& phase = job.phases[member];
    if (phase.sample) given = static_cast<std::uint64_t>(phase.sample->count());
    const std::uint64_t own = default_grid(phase.stop);
    finest = finest == 0 ? own : std::min(finest, own);
  }
  return given != 0 ? given : finest;
}

std::vector<PhasePlan> members_of_job(const Job& job, const Group& group) {
  std::vector<PhasePlan> members;
  for (const std::size_t position : group.phases) {
    const Phase& phase = job.phases[position];
    PhasePlan& member = members.emplace_back();
    member.name = phase.name;
    member.disk = phase.disk;
    member.limits = phase.limits;
    member.repeat.count = phase.repeat.count;
  }
  return members;
}

void join_group(const Job& job, const Group& group, PhasePlan& member) {
  member.group = group.name;
  if (!group.rounds) member.interval_grid = common_grid(job, group);
}

PhasePlan make_group_phase(const Job& job, const Group& group, std::span<const PhasePlan> members) {
  PhasePlan plan;
  plan.name = group.name;
  plan.kind = PhaseKind::group;
  plan.parallel = !group.rounds;
  plan.interval_grid = common_grid(job, group);
  plan.timeout = group.timeout ? static_cast<std::uint64_t>(group.timeout->count()) : 0;
  plan.thresholds = group.thresholds;
  plan.findings = group.findings;
  plan.layout = Layout::none;
  for (const PhasePlan& member : members) plan.members.push_back(member.name);
  if (members.empty()) return plan;
  const PhasePlan& first = members.front();
  if (group.rounds) plan.repeat = first.repeat;
  const auto all = [&](auto same) { return std::ranges::all_of(members, same); };
  if (all([&](const PhasePlan& member) { return member.disk == first.disk; })) {
    plan.disk = first.disk;
    if (all([&](const PhasePlan& member) { return same_limits(member.limits, first.limits); }))
      plan.limits = first.limits;
  }
  return plan;
}

}  // namespace diskproof
