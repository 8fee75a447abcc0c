// Large sequential writes, one thread per file, made durable at the end.
#include "plan/layout_phase.hpp"

#include <algorithm>

#include "plan/timeouts.hpp"

namespace diskproof {
namespace {

constexpr std::uint64_t kBlock = std::uint64_t{1} << 20;
constexpr std::uint64_t kDepth = 8;

}  // namespace

std::uint32_t fill_depth(const PhasePlan& phase, std::uint64_t memory_limit) {
  if (phase.engine.sync) return 1;
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(memory_limit / (phase.block_size * phase.threads), 1, kDepth));
}

std::string layout_name(const std::string& disk) { return "layout/" + disk; }

Layout wanted_layout(const Disk& disk, const Phase& phase) {
  return phase.layout.value_or(disk.kind == DiskKind::virtual_disk ? Layout::none : Layout::written);
}

PhasePlan make_layout_phase(const DiskPlan& disk, const PhasePlan& first, Layout layout, std::uint64_t seed,
                            std::uint64_t memory_limit) {
  PhasePlan phase;
  phase.name = layout_name(disk.name);
  phase.kind = PhaseKind::layout;
  phase.disk = disk.name;
  phase.engine = first.engine;
  if (is_raw(disk)) phase.targets.push_back({.spec = disk.path, .size = disk.file_size, .device = true});
  for (const std::string& file : is_raw(disk) ? std::vector<std::string>{} : disk.files)
    phase.targets.push_back({.spec = file, .size = disk.file_size});
  if (phase.targets.empty()) phase.targets.push_back({.spec = disk.name, .size = disk.file_size});
  phase.operations = {.read = 0, .write = 100, .trim = 0};
  phase.layout = layout;
  phase.region_size = disk.file_size;
  phase.block_size = kBlock;
  phase.threads = static_cast<std::uint32_t>(phase.targets.size());
  phase.queue_depth = fill_depth(phase, memory_limit);
  phase.direct = first.direct;
  phase.fsync.end = true;
  phase.data = first.data;
  phase.seed = seed;
  phase.stop = {.kind = StopRule::Kind::bytes, .value = disk.file_size * phase.targets.size()};
  phase.interval_grid = default_grid(phase.stop);
  phase.timeout = default_timeout(phase.stop, 0, phase.block_size);
  phase.io_timeout = first.io_timeout;
  phase.limits = first.limits;
  phase.findings = first.findings;
  return phase;
}

}  // namespace diskproof
