// The phases of a run: one after the other, in turns (A B A B), or at the same time.
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <thread>

#include "cli/group_progress.hpp"
#include "cli/judge_group.hpp"
#include "cli/run_session.hpp"
#include "cli/times.hpp"
#include "support/clock.hpp"
#include "support/error.hpp"
#include "support/units.hpp"

namespace diskproof {
namespace {

class ViewObserver : public PhaseObserver {
 public:
  ViewObserver(RunView& view, const PhasePlan& phase, std::uint32_t run) : view_(view), phase_(phase), run_(run) {}
  void on_tick(const PhaseTick& tick) override { view_.tick(phase_, run_, tick); }
  void on_interval(const Interval&) override {}

 private:
  RunView& view_;
  const PhasePlan& phase_;
  const std::uint32_t run_;
};

// A phase that has turns.
struct Turns {
  std::size_t index = 0;
  std::optional<PhaseReport> without;  // its report, where it does not run at all
  std::vector<FinishedRun> runs{};
};

}  // namespace

// Idle, but not beyond the end of the run.
void RunSession::pause(std::uint64_t ns) const {
  const std::uint64_t end = monotonic_ns() + ns;
  for (std::uint64_t now = monotonic_ns(); now < end && !parts_.stop.flag(); now = monotonic_ns()) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(std::min<std::uint64_t>(end - now, 50'000'000)));
  }
}

FinishedRun RunSession::run_not(const std::string& reason) const {
  FinishedRun run;
  run.result.interrupted = parts_.stop.flag();
  run.result.reason = reason;
  return run;
}

// Runs phases at the same time, each once.
std::vector<FinishedRun> RunSession::run_once(std::span<const std::size_t> indices, std::uint32_t number,
                                              std::span<PhaseObserver* const> observers) {
  std::vector<PhaseStart> starts;
  const std::uint64_t now = monotonic_ns();
  const std::uint64_t left = group_.end > now ? group_.end - now : 1;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const PhasePlan& phase = report_.plan.phases[indices[i]];
    const std::uint64_t timeout = group_.end == 0 ? phase.timeout : std::min(phase.timeout, left);
    starts.push_back({indices[i], seed_of_run(phase.seed, number), timeout, observers[i]});
  }
  const std::string started_at = iso_time(now_seconds());
  auto results = parts_.run_phases(starts, preparation_->engine_state_folder(), targets_);
  std::vector<FinishedRun> runs;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    FinishedRun& run = runs.emplace_back(FinishedRun{std::move(results[i]), starts[i].seed, started_at});
    if (run.result.interrupted && !stopped_reason().empty()) run.result.reason = stopped_reason();
    if (run.result.tainted) tainted_.insert(report_.plan.phases[indices[i]].disk);
    const bool late = group_.end != 0 && monotonic_ns() >= group_.end;
    if (late && run.result.reason.starts_with("not done within its timeout")) run.result.reason = group_.passed;
  }
  return runs;
}

// Its report, where the phase does not run: an obstacle, or files that are there already.
std::optional<PhaseReport> RunSession::without_running(const PhasePlan& phase) const {
  if (const std::string reason = obstacle(phase); !reason.empty()) return report_not_run(phase, reason);
  if (is_layout(phase) && preparation_->laid_out(phase.disk)) return report_reused(phase);
  return std::nullopt;
}

PhaseReport RunSession::judged(std::size_t index, std::span<const FinishedRun> runs) {
  const PhasePlan& phase = report_.plan.phases[index];
  PhaseReport report = judge_phase(phase, runs, filesystem_of(phase.disk));
  report.interrupted = runs.back().result.interrupted && parts_.stop.cause() == StopControl::Cause::interrupted;
  if (is_layout(phase) && report.outcome == Outcome::pass) preparation_->record_layout(phase.disk, phase.seed);
  return report;
}

// A phase that failed in its turn has no further one; the others go on.
void RunSession::run_in_turns(std::size_t first, std::size_t last) {
  const auto& phases = report_.plan.phases;
  std::vector<Turns> all;
  for (std::size_t i = first; i < last; ++i) all.push_back({i, without_running(phases[i])});
  const auto has_turn = [&](const Turns& turns) {
    return !turns.without && (turns.runs.empty() || measured(phases[turns.index], turns.runs.back().result));
  };
  const RepeatPlan& rounds = phases[first].repeat;
  for (std::uint32_t round = 0; round < rounds.count && std::ranges::any_of(all, has_turn); ++round) {
    if (round > 0) pause(rounds.interval);
    for (Turns& turns : all) {
      if (!has_turn(turns)) continue;
      const PhasePlan& phase = phases[turns.index];
      const std::string reason = obstacle(phase);
      if (!reason.empty()) {
        turns.runs.push_back(run_not(reason));
        continue;
      }
      if (round == 0) {
        if (phase.operations.trim > 0) preparation_->forget_layout(phase.disk);
        parts_.view.phase_started(phase);
      }
      ViewObserver observer(parts_.view, phase, round + 1);
      PhaseObserver* const observers[] = {&observer};
      turns.runs.push_back(std::move(run_once({&turns.index, 1}, round, observers).front()));
    }
  }
  for (Turns& turns : all) {
    report_.phases[turns.index] = turns.without ? std::move(*turns.without) : judged(turns.index, turns.runs);
  }
}

// All of them or none.
void RunSession::run_together(std::size_t first, std::size_t last) {
  const auto& phases = report_.plan.phases;
  std::vector<std::size_t> indices;
  std::string missing;
  for (std::size_t i = first; i < last; ++i) {
    indices.push_back(i);
    if (missing.empty() && !obstacle(phases[i]).empty()) missing = phases[i].name;
  }
  if (!missing.empty()) {
    for (const std::size_t i : indices) {
      const std::string reason = obstacle(phases[i]);
      report_.phases[i] = report_not_run(
          phases[i], !reason.empty()
                         ? reason
                         : "not run because " + missing + ", which was to run at the same time, could not be");
    }
    return;
  }
  GroupProgress progress(parts_.view, phases[last], indices.size());
  for (const std::size_t i : indices) {
    if (phases[i].operations.trim > 0) preparation_->forget_layout(phases[i].disk);
    parts_.view.phase_started(phases[i]);
  }
  const std::vector<FinishedRun> runs = run_once(indices, 0, progress.observers());
  for (std::size_t i = 0; i < indices.size(); ++i) report_.phases[indices[i]] = judged(indices[i], {&runs[i], 1});
}

// Runs what begins at `first`: one phase, or a group with its entry. Answers with where the next begins.
std::size_t RunSession::run_block(std::size_t first) {
  const auto& phases = report_.plan.phases;
  std::size_t last = first;
  while (last < phases.size() && !phases[last].group.empty() && phases[last].group == phases[first].group) ++last;
  if (last == first) {
    run_in_turns(first, first + 1);
    return first + 1;
  }
  const PhasePlan& group = phases.at(last);
  if (group.timeout != 0) {
    group_ = {monotonic_ns() + group.timeout,
              fmt::format("the timeout of group {} passed ({})", group.name,
                          format_duration(Nanoseconds(static_cast<std::int64_t>(group.timeout))))};
  }
  group.parallel ? run_together(first, last) : run_in_turns(first, last);
  group_ = {};
  const std::span plans(phases.data() + first, last - first);
  const std::span reports(report_.phases.data() + first, last - first);
  report_.phases[last] = judge_group(group, plans, reports);
  return last + 1;
}

void RunSession::run_phases() {
  for (std::size_t first = 0, next = 0; first < report_.plan.phases.size(); first = next) {
    next = first + 1;
    try {
      next = run_block(first);
    } catch (const std::exception& error) {
      report_.phases[first] = report_not_run(report_.plan.phases[first], error.what());
    }
    conclude(report_, refused_, parts_.stop.cause() == StopControl::Cause::interrupted);
    write_reports();
    for (std::size_t i = first; i < next; ++i) parts_.view.phase_finished(report_.phases[i]);
  }
}

}  // namespace diskproof
