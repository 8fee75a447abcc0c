// Bounds of single phases, and their sums.
#include "plan/estimate.hpp"

#include <algorithm>
#include <cmath>

#include "support/capped.hpp"
#include "support/units.hpp"

namespace diskproof {
namespace {

constexpr double kMostBytes = 1e18;

std::uint64_t rounded(double value) { return static_cast<std::uint64_t>(std::clamp(value, 0.0, kMostBytes)); }

const DiskPlan* disk_of(const Plan& plan, const PhasePlan& phase) {
  const auto found =
      std::find_if(plan.disks.begin(), plan.disks.end(), [&](const DiskPlan& disk) { return disk.name == phase.disk; });
  return found == plan.disks.end() ? nullptr : &*found;
}

// A kept file of an earlier run needs no layout.
Range written_by_layout(const Plan& plan, const PhasePlan& phase) {
  if (phase.layout != Layout::written) return {};
  const DiskPlan* disk = disk_of(plan, phase);
  const bool reusable = disk != nullptr && disk->keep;
  return {reusable ? 0 : phase.stop.value, phase.stop.value};
}

// Of a mix, the draws decide: near the share, and exactly all of it only without other operations.
Range written_by_count(const PhasePlan& phase, double share) {
  const double block = mean_block(phase.block_size, phase.block_sizes);
  const double bytes = phase.stop.kind == StopRule::Kind::bytes ? static_cast<double>(phase.stop.value)
                                                                : static_cast<double>(phase.stop.value) * block;
  const bool certain = share >= 1 && phase.block_sizes.empty();
  const std::uint64_t all = rounded(bytes);
  if (phase.warmup > 0) return {certain ? all : 0, std::nullopt};
  const double largest = bytes / block * static_cast<double>(phase.block_size);
  return {certain ? all : 0, certain ? all : rounded(largest)};
}

Range written_in_time(const PhasePlan& phase) {
  if (phase.rate <= 0) return {0, std::nullopt};
  const double seconds = static_cast<double>(phase.warmup + phase.stop.value) / 1e9;
  return {0, rounded((phase.rate * seconds + phase.threads) * static_cast<double>(phase.block_size))};
}

Range time_of_run(const PhasePlan& phase) {
  if (phase.stop.kind == StopRule::Kind::duration) {
    const std::uint64_t all = phase.warmup + phase.stop.value;
    return {phase.aborts.empty() ? all : phase.warmup, all};
  }
  std::uint64_t least = phase.warmup;
  if (phase.rate > 0 && phase.stop.kind == StopRule::Kind::operations && phase.aborts.empty()) {
    least += rounded(static_cast<double>(phase.stop.value) / phase.rate * 1e9);
  }
  return {least, std::max(least, phase.timeout + phase.io_timeout)};
}

template <class Format>
std::string range_text(const Range& range, Format format) {
  if (range.exact()) return format(range.least);
  if (!range.most) return range.least == 0 ? "unknown" : "at least " + format(range.least);
  return range.least == 0 ? "at most " + format(*range.most) : format(range.least) + " to " + format(*range.most);
}

// What the phases of a group come to until its entry is reached.
struct GroupTime {
  std::uint64_t pause = 0;  // the longest, once before the group
  Range runs;
};

// Of phases that run at the same time the longest counts, of those that take turns the sum.
void add_to_group(const PhasePlan& group, const PhasePlan& phase, GroupTime& sum) {
  if (!phase.skip.empty()) return;
  sum.pause = std::max(sum.pause, phase.pause);
  PhasePlan turns = phase;
  turns.pause = 0;
  if (phase.name != group.members.front()) turns.repeat.interval = 0;  // between rounds, once for all
  const Range own = time_taken(turns);
  if (!group.parallel) {
    sum.runs += own;
    return;
  }
  Range& longest = sum.runs;
  longest.least = std::max(longest.least, own.least);
  longest.most = longest.most && own.most ? std::optional(std::max(*longest.most, *own.most)) : std::nullopt;
}

void add_time(const Plan& plan, const PhasePlan& phase, GroupTime& of_group, Range& sum) {
  if (phase.kind == PhaseKind::group) {
    sum += {of_group.pause, of_group.pause};
    sum += of_group.runs;
    of_group = {};
    return;
  }
  const auto group = std::find_if(plan.phases.begin(), plan.phases.end(), [&](const PhasePlan& one) {
    return one.kind == PhaseKind::group && one.name == phase.group;
  });
  if (phase.group.empty() || group == plan.phases.end()) {
    sum += time_taken(phase);
  } else {
    add_to_group(*group, phase, of_group);
  }
}

// A run that its timeout ends waits for what is in flight.
std::uint64_t longest_io(const Plan& plan) {
  std::uint64_t longest = 0;
  for (const PhasePlan& phase : plan.phases) longest = std::max(longest, phase.io_timeout);
  return longest;
}

}  // namespace

Range& Range::operator+=(const Range& other) {
  least = capped_sum(least, other.least);
  most = most && other.most ? std::optional(capped_sum(*most, *other.most)) : std::nullopt;
  return *this;
}

Range& Range::operator*=(std::uint64_t times) {
  least = capped_product(least, times);
  most = most ? std::optional(capped_product(*most, times)) : std::nullopt;
  return *this;
}

Range bytes_written(const Plan& plan, const PhasePlan& phase) {
  if (!phase.skip.empty()) return {};
  if (phase.kind == PhaseKind::layout) return written_by_layout(plan, phase);
  const double share = phase.operations.write / 100;
  if (share <= 0) return {};
  Range range = phase.stop.kind == StopRule::Kind::duration ? written_in_time(phase) : written_by_count(phase, share);
  range *= phase.repeat.count;
  if (phase.aborts.empty() && !plan.smoke) return range;
  range.least = 0;  // it may be ended early
  return range;
}

Range time_taken(const PhasePlan& phase) {
  if (!phase.skip.empty()) return {};
  Range time = time_of_run(phase);
  time *= phase.repeat.count;
  const std::uint64_t idle = capped_sum(phase.pause, capped_product(phase.repeat.count - 1, phase.repeat.interval));
  time += {idle, idle};
  return time;
}

Estimate estimate(const Plan& plan) {
  Estimate sum;
  for (const DiskPlan& disk : plan.disks) sum.disks.push_back({disk.name, {}});
  GroupTime of_group;
  for (const PhasePlan& phase : plan.phases) {
    const Range written = bytes_written(plan, phase);
    add_time(plan, phase, of_group, sum.time);
    sum.written += written;
    for (DiskEstimate& disk : sum.disks) {
      if (disk.disk == phase.disk) disk.written += written;
    }
  }
  if (plan.timeout != 0) {
    const std::uint64_t end = plan.timeout + longest_io(plan);
    sum.time.most = std::min(sum.time.most.value_or(end), end);
    sum.time.least = std::min(sum.time.least, plan.timeout);
  }
  return sum;
}

std::string bytes_text(const Range& range) {
  return range_text(range, [](std::uint64_t bytes) { return format_bytes(bytes); });
}

std::string time_text(const Range& range) { return range_text(range, format_ns); }

}  // namespace diskproof
