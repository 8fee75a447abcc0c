// One small step per key; each leaves what is small enough already.
#include "plan/smoke.hpp"

#include <algorithm>

#include "job/sizes.hpp"
#include "plan/of_job.hpp"
#include "verdict/threshold_expr.hpp"

namespace diskproof {
namespace {

// Enough for a block of each thread. What a region in bytes would be of it is anybody's guess, so it is all of it.
void shrink_size(const Disk& disk, Phase& phase) {
  const bool unknown = disk.kind != DiskKind::virtual_disk && phase.size && phase.size->percent;
  const std::uint64_t files = std::max(files_of(disk, phase), 1u);
  const std::uint64_t least = phase.block_size * ((phase.threads + files - 1) / files);
  const std::uint64_t small = std::max(kSmokeBytes / files / phase.block_size * phase.block_size, least);
  if (!unknown && file_size_of(disk, phase) <= small) return;
  phase.size = Extent{.bytes = small, .percent = {}};
  phase.region = Region{};
}

void shrink_stop(Phase& phase) {
  StopRule& stop = phase.stop;
  switch (stop.kind) {
    case StopRule::Kind::duration:
      stop.value = std::min(stop.value, kSmokeTime);
      break;
    case StopRule::Kind::bytes:
      stop.value = std::min(stop.value, std::max(kSmokeBytes, phase.block_size));
      break;
    case StopRule::Kind::operations:
      stop.value = std::min(stop.value, std::max<std::uint64_t>(kSmokeBytes / phase.block_size, 1));
      break;
  }
}

// Whatever the text says of its own severity.
void soften(Threshold& threshold) {
  threshold.warn = true;
  const CompiledThreshold compiled = compile_threshold(threshold);
  const auto* expr = std::get_if<ThresholdExpr>(&compiled);
  if (expr != nullptr && !expr->warn.value_or(true)) threshold.check.replace(threshold.check.rfind("fail"), 4, "warn");
}

void shrink_times(Phase& phase) {
  phase.pause = Nanoseconds(0);
  phase.warmup = std::min(phase.warmup, Nanoseconds(static_cast<std::int64_t>(kSmokeTime / 10)));
  const bool coarse = phase.sample && static_cast<std::uint64_t>(phase.sample->count()) > kSmokeTime / 10;
  if (coarse) phase.sample.reset();
  phase.timeout.reset();
}

}  // namespace

void make_small(Job& job) {
  for (Phase& phase : job.phases) {
    if (const Disk* disk = disk_of(job, phase); disk != nullptr && !phase.verify.checks()) shrink_size(*disk, phase);
    shrink_stop(phase);
    shrink_times(phase);
    if (phase.precondition) {
      phase.precondition->sequential = std::min<std::uint64_t>(phase.precondition->sequential, 1);
      phase.precondition->random = std::min<std::uint64_t>(phase.precondition->random, 1);
    }
    // Two runs that count, as thresholds may be about several.
    phase.repeat.count = std::min(phase.repeat.count, phase.repeat.discard + 2);
    phase.repeat.interval = Nanoseconds(0);
    phase.aborts.clear();
    for (Threshold& threshold : phase.thresholds) soften(threshold);
    phase.findings.try_emplace("on_tmpfs", Severity::warn);
  }
}

}  // namespace diskproof
