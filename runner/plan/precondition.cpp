// Writes as layout makes them, in blocks of the job's choice, so many times over.
#include "plan/precondition.hpp"

#include <algorithm>

#include "plan/layout_phase.hpp"
#include "plan/timeouts.hpp"

namespace diskproof {
namespace {

PhasePlan fill(const PhasePlan& phase, Access access, std::uint64_t passes, std::uint64_t block,
               std::uint64_t memory_limit) {
  PhasePlan plan;
  plan.name = phase.name + (access == Access::random ? "/precondition/random" : "/precondition/sequential");
  plan.kind = PhaseKind::precondition;
  plan.disk = phase.disk;
  plan.engine = phase.engine;
  plan.targets = phase.targets;
  plan.access = access;
  plan.operations = {.read = 0, .write = 100, .trim = 0};
  plan.layout = phase.layout;
  plan.region_from = phase.region_from;
  plan.region_size = phase.region_size;
  plan.block_size = block;
  plan.threads = static_cast<std::uint32_t>(std::max<std::size_t>(phase.targets.size(), 1));
  plan.queue_depth = fill_depth(plan, memory_limit);
  plan.cpus = phase.cpus;
  plan.direct = phase.direct;
  plan.fsync.end = true;
  plan.seed = phase.seed;
  plan.stop = {.kind = StopRule::Kind::bytes,
               .value = passes * std::max(phase.region_size / block, std::uint64_t{1}) * block * plan.threads};
  plan.interval_grid = default_grid(plan.stop);
  plan.timeout = default_timeout(plan.stop, 0, block);
  plan.io_timeout = phase.io_timeout;
  plan.limits = phase.limits;
  plan.findings = phase.findings;
  plan.needs = phase.needs;
  plan.required = phase.required;
  plan.optional = phase.optional;
  plan.skip = phase.skip;
  return plan;
}

}  // namespace

std::vector<PhasePlan> make_preconditions(const Precondition& fills, const PhasePlan& phase,
                                          std::uint64_t memory_limit) {
  std::vector<PhasePlan> plans;
  const auto add = [&](Access access, std::uint64_t passes) {
    if (passes > 0) plans.push_back(fill(phase, access, passes, fills.block_size, memory_limit));
  };
  add(Access::sequential, fills.sequential);
  add(Access::random, fills.random);
  if (!plans.empty()) plans.front().pause = phase.pause;
  return plans;
}

}  // namespace diskproof
