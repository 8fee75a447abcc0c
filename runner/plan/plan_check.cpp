// The rules that make a plan safe to execute: nothing divides by zero, leaves its target or names what is not there.
#include "plan/plan_check.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "plan/rate.hpp"
#include "verdict/threshold_expr.hpp"

namespace diskproof {
namespace {

constexpr std::uint64_t kMaxBlock = std::uint64_t{1} << 30;  // a buffer region of the engine contract
constexpr std::uint64_t kStamped = 512;                      // the smallest that has a stamp
constexpr std::uint32_t kMaxThreads = 4096;
constexpr std::uint32_t kMaxDepth = 65536;

std::string fault_of_target(const PhasePlan& phase, const TargetPlan& target) {
  if (target.spec.empty()) return "a target has no name";
  if (phase.region_from > target.size || phase.region_size > target.size - phase.region_from) {
    return "the region ends behind its target " + target.spec;
  }
  return "";
}

std::string fault_of_pattern(const PhasePlan& phase) {
  if (phase.access == Access::zipf && !(phase.skew > 0 && phase.skew < 100)) return "the zipf exponent is not above 0";
  if (phase.access == Access::pareto && !(phase.skew > 0 && phase.skew < 0.5)) return "pareto is not within 0 and 0.5";
  if (phase.access == Access::hotspot && phase.hot_zones.empty()) return "it has no hot zone";
  double blocks = 0, draws = 0, sum = 0;
  for (const HotZone& zone : phase.hot_zones) {
    if (!(zone.blocks >= 0 && zone.draws >= 0)) return "a hot zone has a share below 0";
    blocks += zone.blocks;
    draws += zone.draws;
  }
  if (!(blocks <= 100 && draws <= 100)) return "the hot zones have more than all";
  std::uint64_t smaller = 0;
  for (const BlockShare& block : phase.block_sizes) {
    if (block.size <= smaller || block.size > phase.block_size) return "block_sizes do not ascend to block_size";
    if (!(block.percent > 0)) return "a block size has no share";
    smaller = block.size;
    sum += block.percent;
  }
  if (!phase.block_sizes.empty() && !(std::abs(sum - 100) <= 0.01)) return "block_sizes do not sum to 100 %";
  if (phase.shared && phase.access == Access::sequential && !phase.block_sizes.empty()) {
    return "threads that share a target block by block need one block size";
  }
  return "";
}

std::string fault_of_data(const DataShape& data) {
  const auto is_share = [](double percent) { return percent >= 0 && percent <= 100; };
  return is_share(data.compressible) && is_share(data.dedupe) ? "" : "a share of data is not between 0 and 100 %";
}

// Its phases stand right before it, and say that they are its.
std::string fault_of_group(const std::vector<PhasePlan>& phases, std::size_t position) {
  const PhasePlan& group = phases[position];
  const std::size_t count = group.members.size();
  if (count == 0 || count > position) return "it has no phases";
  for (std::size_t i = 0; i < count; ++i) {
    const PhasePlan& member = phases[position - count + i];
    const bool there = member.name == group.members[i] && member.group == group.name;
    const bool runs = member.kind == PhaseKind::measure || member.kind == PhaseKind::verify;
    if (!there || !runs) return "its phase " + group.members[i] + " is not before it";
    if (!group.parallel) continue;
    if (member.repeat.count != 1) return "its phase " + member.name + " runs more than once";
    if (member.interval_grid != group.interval_grid) return "its phases have different intervals";
  }
  return "";
}

std::string fault_of_verify(const PhasePlan& phase) {
  const VerifyPlan& verify = phase.verify;
  if ((verify.write || phase.kind == PhaseKind::verify) && verify.manifest.empty()) return "its manifest has no path";
  if (!verify.write) return "";
  if (phase.kind != PhaseKind::measure || phase.operations.write <= 0) return "it stamps writes that it does not do";
  if (verify.map.empty() || verify.map.find_first_of("/\\") != std::string::npos) return "its map is no file name";
  if (verify.granule == 0 || verify.granule % kStamped != 0) return "its granule is not of whole sectors";
  if (!(verify.during >= 0 && verify.during <= 100)) return "it reads back a share that is not between 0 and 100 %";
  const auto odd = [&](std::uint64_t bytes) { return bytes % verify.granule != 0; };
  const bool odd_block = std::ranges::any_of(phase.block_sizes, odd, &BlockShare::size) || odd(phase.block_size);
  return odd_block || odd(phase.region_from) ? "it writes parts of a granule" : "";
}

std::string fault_of(const PhasePlan& phase) {
  if (phase.block_size == 0 || phase.block_size > kMaxBlock) return "block_size is not between 1 B and 1 GiB";
  if (std::string fault = fault_of_pattern(phase); !fault.empty()) return fault;
  if (phase.threads == 0 || phase.threads > kMaxThreads) return "threads is not between 1 and 4096";
  if (phase.queue_depth == 0 || phase.queue_depth > kMaxDepth) return "queue_depth is not between 1 and 65536";
  if (phase.batch > phase.queue_depth) return "batch is larger than queue_depth";
  const bool paced = std::isfinite(phase.rate) && phase.rate >= kLowestRate && phase.rate <= kHighestRate;
  if (phase.rate != 0 && !paced) return "rate is not 0 or between 0.001 and 1,000,000,000 per second";
  if (phase.rate != 0 && phase.think_time != 0) return "it has a rate and a think_time";
  if (std::string fault = fault_of_data(phase.data); !fault.empty()) return fault;
  if (phase.interval_grid == 0) return "interval_grid is 0";
  for (const std::string& condition : phase.aborts) {
    const CompiledThreshold compiled = compile_abort(condition);
    if (const auto* fault = std::get_if<ThresholdError>(&compiled)) return "abort: " + fault->text;
  }
  if (phase.timeout == 0 || phase.io_timeout == 0) return "a timeout is 0";
  if (phase.stop.value == 0) return "it would stop at once";
  if (phase.repeat.discard >= phase.repeat.count) return "none of its runs counts";
  if (phase.targets.empty()) return "it has no targets";
  if (phase.threads < phase.targets.size()) return "it has fewer threads than targets";
  for (const double share : {phase.operations.read, phase.operations.write, phase.operations.trim}) {
    if (!(share >= 0 && share <= 100)) return "a share of operations is not between 0 and 100 %";
  }
  const double sum = phase.operations.read + phase.operations.write + phase.operations.trim;
  if (std::abs(sum - 100) > 0.01) return "the shares of operations do not sum to 100 %";
  if (std::string fault = fault_of_verify(phase); !fault.empty()) return fault;
  // Their last block may be shorter.
  const bool ragged = phase.kind == PhaseKind::layout || phase.kind == PhaseKind::verify;
  if (phase.region_size < (ragged ? 1 : phase.block_size)) return "the region is smaller than a block";
  if (!std::is_sorted(phase.latency_bounds.begin(), phase.latency_bounds.end())) return "latency_bounds do not ascend";
  for (const TargetPlan& target : phase.targets) {
    if (std::string fault = fault_of_target(phase, target); !fault.empty()) return fault;
  }
  return "";
}

}  // namespace

std::string find_fault(const Plan& plan) {
  std::set<std::string> disks, phases;
  for (const DiskPlan& disk : plan.disks) {
    if (!disks.insert(disk.name).second) return "two disks are named " + disk.name;
  }
  for (std::size_t i = 0; i < plan.phases.size(); ++i) {
    const PhasePlan& phase = plan.phases[i];
    const std::string where = "phases[" + std::to_string(i) + "] (" + phase.name + "): ";
    if (phase.kind == PhaseKind::group) {
      if (std::string fault = fault_of_group(plan.phases, i); !fault.empty()) return where + fault;
      if (!phases.insert(phase.name).second) return where + "its name is taken";
      continue;
    }
    if (!disks.contains(phase.disk)) return where + "there is no disk " + phase.disk;
    for (const std::string& need : phase.needs) {
      if (!phases.contains(need)) return where + "it needs " + need + ", which does not come before it";
    }
    const std::string& writer = phase.kind == PhaseKind::verify && phase.skip.empty() ? phase.verify.of : "";
    if (!writer.empty() && !phases.contains(writer)) {
      return where + "it checks " + writer + ", which does not come before it";
    }
    for (const std::string& other : phase.required) {
      if (!phases.contains(other)) return where + "it requires " + other + ", which does not come before it";
    }
    if (std::string fault = phase.skip.empty() ? fault_of(phase) : ""; !fault.empty()) return where + fault;
    if (!phases.insert(phase.name).second) return where + "its name is taken";
  }
  return "";
}

}  // namespace diskproof
