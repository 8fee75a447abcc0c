// Reasons to end a phase, with their numbers.
#include "cli/phase_watcher.hpp"

#include <fmt/format.h>

#include "cli/judge_phase.hpp"
#include "plan/smoke.hpp"
#include "support/units.hpp"

namespace diskproof {
namespace {

Evidence evidence_for(const RunReport& report, const PhasePlan& phase) {
  Evidence evidence;
  evidence.limits = phase.limits;
  evidence.other = other_values(&report.phases);
  return evidence;
}

std::string written_text(std::uint64_t written, const Plan& plan) {
  return fmt::format("the job had written {}, more than its max_written of {}", format_bytes(written),
                     format_bytes(plan.max_written));
}

}  // namespace

PhaseWatcher::PhaseWatcher(const RunReport& report, const PhasePlan& phase, std::uint64_t& written)
    : plan_(report.plan),
      phase_(phase),
      written_(written),
      aborts_(phase.aborts, evidence_for(report, phase),
              planned_shape(phase.operations, mean_block(phase.block_size, phase.block_sizes))) {}

void PhaseWatcher::begin_run(PhaseObserver& shown) {
  shown_ = &shown;
  last_ = {};
  ended_.clear();
  aborts_.begin_run();
}

// What no tick has told.
void PhaseWatcher::end_run(const PhaseResult& result) {
  const std::uint64_t all = result.data ? bytes_written(phase_, *result.data) : 0;
  if (all > last_.written) written_ += all - last_.written;
}

bool PhaseWatcher::wrote_too_much() const {
  return plan_.max_written != 0 && written_ > plan_.max_written && phase_.operations.write > 0;
}

// Another fault that ended the run is told instead.
void PhaseWatcher::judge_written(PhaseResult& result) const {
  if (!wrote_too_much()) return;
  const bool was_ended = !ended_.empty() && result.reason == ended_;
  if (!result.completed && !was_ended) return;
  result.completed = false;
  result.reason = (was_ended ? "ended because " : "at its end ") + written_text(written_, plan_);
}

void PhaseWatcher::on_tick(const PhaseTick& tick) {
  if (tick.written > last_.written) written_ += tick.written - last_.written;
  last_ = tick;
  if (shown_ != nullptr) shown_->on_tick(tick);
}

std::optional<EndRequest> PhaseWatcher::end_request() {
  if (!aborts_.verdict().empty()) return EndRequest{aborts_.verdict(), true};
  if (wrote_too_much()) {
    ended_ = "ended because " + written_text(written_, plan_);
    return EndRequest{ended_, false};
  }
  const bool counts = phase_.stop.kind != StopRule::Kind::duration;
  const double seen = static_cast<double>(phase_.warmup + kSmokeTime) / 1e9;
  const bool enough = plan_.smoke && counts && phase_.kind == PhaseKind::measure && last_.elapsed > seen;
  return enough ? std::optional(EndRequest{"a smoke run has seen enough of it", true}) : std::nullopt;
}

std::uint64_t bytes_written(const PhasePlan& phase, const RunData& data) {
  constexpr auto kWrite = static_cast<std::size_t>(Direction::write);
  std::uint64_t bytes = data.directions[kWrite].bytes;
  for (const Interval& row : data.warmup_intervals) bytes += row.directions[kWrite].bytes;
  const bool only_writes = phase.operations.write >= 100 && phase.block_sizes.empty();
  return bytes + (only_writes ? data.drain.operations * phase.block_size : 0);
}

}  // namespace diskproof
