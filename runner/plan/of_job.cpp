// Values of the job, with the defaults that follow from others of its values.
#include "plan/of_job.hpp"

#include <algorithm>
#include <set>

#include "plan/layout_phase.hpp"
#include "plan/rate.hpp"
#include "plan/timeouts.hpp"
#include "verdict/threshold_expr.hpp"

namespace diskproof {
namespace {

// By default: operations per second that even a slow disk lets through, 0 where nothing but the disk holds them back.
double planned_pace(const PhasePlan& plan) {
  if (plan.think_time == 0) return plan.rate;
  return static_cast<double>(plan.threads) * plan.queue_depth / (static_cast<double>(plan.think_time) / 1e9);
}

std::uint64_t timeout_of(const PhasePlan& plan) {
  const bool by_bytes = plan.stop.kind == StopRule::Kind::bytes;
  const double mean = mean_block(plan.block_size, plan.block_sizes);
  const std::uint64_t block = by_bytes ? static_cast<std::uint64_t>(mean) : plan.block_size;
  return default_timeout(plan.stop, plan.warmup, block, planned_pace(plan));
}

std::vector<std::uint64_t> bounds_of(const Phase& phase) {
  std::set<std::uint64_t> bounds;
  for (const Threshold& threshold : phase.thresholds) {
    const CompiledThreshold compiled = compile_threshold(threshold);
    const auto* expr = std::get_if<ThresholdExpr>(&compiled);
    const auto bound = expr != nullptr ? interval_latency_bound(*expr) : std::nullopt;
    if (bound) bounds.insert(*bound);
  }
  return {bounds.begin(), bounds.end()};
}

}  // namespace

std::uint64_t ns_of(Nanoseconds time) { return static_cast<std::uint64_t>(std::max<std::int64_t>(time.count(), 0)); }

const Disk* disk_of(const Job& job, const Phase& phase) {
  const auto disk = std::ranges::find(job.disks, phase.disk, &Disk::name);
  return disk == job.disks.end() ? nullptr : &*disk;
}

PhasePlan phase_of_job(const Disk& disk, const Phase& phase) {
  PhasePlan plan;
  plan.name = phase.name;
  if (phase.verify.checks()) plan.kind = PhaseKind::verify;
  plan.verify = {.write = phase.verify.write,
                 .during = phase.verify.during,
                 .of = phase.verify.of,
                 .manifest = phase.verify.manifest,
                 .map = {},
                 .granule = 0};
  plan.disk = disk.name;
  plan.access = phase.access;
  plan.skew = phase.skew;
  plan.hot_zones = phase.hot_zones;
  plan.shared = phase.shared;
  plan.operations = phase.operations;
  plan.layout = wanted_layout(disk, phase);
  plan.block_size = phase.block_size;
  plan.block_sizes = phase.block_sizes;
  plan.queue_depth = phase.queue_depth;
  plan.threads = phase.threads;
  plan.batch = phase.batch;
  plan.rate = planned_rate(phase).value_or(0);  // check_gates speaks of what cannot be resolved
  if (phase.rate) plan.arrival = phase.rate->arrival;
  plan.think_time = ns_of(phase.think_time);
  plan.cpus = phase.cpus;
  plan.direct = phase.direct && disk.kind != DiskKind::virtual_disk;
  if (phase.operations.write > 0) {  // what is inherited by a phase that writes nothing has no meaning there
    plan.sync = phase.sync;
    plan.fsync = phase.fsync;
  }
  plan.data = phase.data;
  plan.seed = phase.seed.value_or(0);
  plan.pause = ns_of(phase.pause);
  plan.warmup = ns_of(phase.warmup);
  plan.stop = phase.stop;
  plan.interval_grid = phase.sample ? ns_of(*phase.sample) : default_grid(phase.stop);
  plan.timeout = phase.timeout ? ns_of(*phase.timeout) : timeout_of(plan);
  plan.io_timeout = ns_of(phase.io_timeout);
  plan.max_errors = phase.max_errors;
  plan.repeat = {.count = phase.repeat.count,
                 .interval = ns_of(phase.repeat.interval),
                 .discard = phase.repeat.discard,
                 .score = phase.repeat.score,
                 .from_same_run = phase.repeat.from_same_run};
  plan.limits = phase.limits;
  plan.thresholds = phase.thresholds;
  plan.aborts = phase.aborts;
  plan.latency_bounds = bounds_of(phase);
  plan.findings = phase.findings;
  plan.optional = phase.optional;
  return plan;
}

}  // namespace diskproof
