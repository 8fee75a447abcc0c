// Sums; of phases that run at the same time the longest counts.
#include "job/least_time.hpp"

#include <algorithm>

#include "support/capped.hpp"

namespace diskproof {
namespace {

std::uint64_t count(Nanoseconds time) { return static_cast<std::uint64_t>(std::max<std::int64_t>(time.count(), 0)); }

Nanoseconds as_time(std::uint64_t ns) { return Nanoseconds(static_cast<std::int64_t>(ns)); }

std::uint64_t of_run(const Phase& phase) {
  if (phase.only_precondition) return 0;
  const std::uint64_t measured = phase.stop.kind == StopRule::Kind::duration ? phase.stop.value : 0;
  return capped_sum(count(phase.warmup), measured);
}

std::uint64_t of_runs(std::uint64_t run, const Repeat& repeat) {
  const std::uint64_t idle = capped_product(count(repeat.interval), std::max<std::uint64_t>(repeat.count, 1) - 1);
  return capped_sum(capped_product(run, repeat.count), idle);
}

std::uint64_t of_group(const Job& job, const Group& group) {
  std::uint64_t pause = 0, longest = 0, sum = 0;
  Repeat rounds;
  for (const std::size_t member : group.phases) {
    const Phase& phase = job.phases[member];
    pause = std::max(pause, count(phase.pause));
    longest = std::max(longest, of_run(phase));
    sum = capped_sum(sum, of_run(phase));
    rounds = phase.repeat;
  }
  return capped_sum(pause, group.rounds ? of_runs(sum, rounds) : longest);
}

}  // namespace

Nanoseconds least_time(const Job& job, const Group& group) { return as_time(of_group(job, group)); }

Nanoseconds least_time(const Job& job) {
  std::uint64_t sum = 0;
  for (const Phase& phase : job.phases) {
    if (!phase.group.empty() || phase.optional) continue;
    sum = capped_sum(sum, capped_sum(count(phase.pause), of_runs(of_run(phase), phase.repeat)));
  }
  for (const Group& group : job.groups) {
    const auto optional = [&](std::size_t member) { return job.phases[member].optional; };
    if (!std::ranges::any_of(group.phases, optional)) sum = capped_sum(sum, of_group(job, group));
  }
  return as_time(sum);
}

}  // namespace diskproof
