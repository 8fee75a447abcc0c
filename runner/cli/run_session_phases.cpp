// The phases of a run: one after the other, in turns (A B A B), or at the same time.
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <memory>
#include <thread>

#include "cli/group_progress.hpp"
#include "cli/judge_group.hpp"
#include "cli/judge_phase.hpp"
#include "cli/phase_watcher.hpp"
#include "cli/run_manifests.hpp"
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
  std::unique_ptr<PhaseWatcher> watcher;
  std::vector<FinishedRun> runs{};
};

std::vector<std::string> files_of(const PhasePlan& phase) {
  std::vector<std::string> files;
  for (const TargetPlan& target : phase.targets) files.push_back(target.spec);
  return files;
}

void add_network(PhaseResult& result, const std::optional<NetworkTotals>& before,
                 const std::optional<NetworkTotals>& after) {
  if (!result.data || !before || !after) return;
  auto data = std::make_shared<RunData>(*result.data);
  data->network = counted_between(*before, *after);
  result.data = std::move(data);
}

const LimitGroup* throttle_of(const Plan& plan, const std::string& disk) {
  const auto found = std::ranges::find(plan.disks, disk, &DiskPlan::name);
  return found == plan.disks.end() ? nullptr : &found->throttle;
}

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

bool RunSession::is_on_network(const std::string& disk) const {
  const DiskFacts* facts = facts_of(disk);
  return facts != nullptr && facts->network.has_value();
}

// What the client of the network file system under a disk has counted so far.
std::optional<NetworkTotals> RunSession::network_of(const std::string& disk) const {
  if (!is_on_network(disk)) return std::nullopt;
  const DiskFacts* facts = facts_of(disk);
  return parts_.count_network(*facts->network, facts->mount_point, facts->mount_source);
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
  std::vector<std::optional<NetworkTotals>> counted;
  for (const std::size_t index : indices) {
    const PhasePlan& phase = report_.plan.phases[index];
    if (is_on_network(phase.disk)) drop_client_cache(files_of(phase));
    counted.push_back(network_of(phase.disk));
  }
  const std::string started_at = iso_time(now_seconds());
  auto results = parts_.run_phases(starts, preparation_->engine_state_folder(), disks_);
  std::vector<FinishedRun> runs;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    FinishedRun& run = runs.emplace_back(FinishedRun{std::move(results[i]), starts[i].seed, started_at});
    if (run.result.interrupted && !stopped_reason().empty()) run.result.reason = stopped_reason();
    add_network(run.result, counted[i], network_of(report_.plan.phases[indices[i]].disk));
    note_tainted(report_.plan.phases[indices[i]], run.result);
    const bool late = group_.end != 0 && monotonic_ns() >= group_.end;
    if (late && run.result.reason.starts_with("not done within its timeout")) run.result.reason = group_.passed;
  }
  return runs;
}

// Killed is not quiet: what a process had in flight goes on without it.
void RunSession::note_tainted(const PhasePlan& phase, PhaseResult& result) {
  if (!result.completed && !result.tainted && !preparation_->quiet(phase.disk, phase.io_timeout)) {
    result.tainted = true;
    result.reason += (result.reason.empty() ? "" : "; ") + std::string("its device still has I/O in flight");
  }
  if (result.tainted) tainted_.insert(phase.disk);
}

// Its report, where the phase does not run: it is left out, an obstacle, or files that are there already.
std::optional<PhaseReport> RunSession::without_running(const PhasePlan& phase) const {
  if (!phase.skip.empty()) return report_skipped(phase, phase.skip);
  if (const std::string reason = obstacle(phase); !reason.empty()) return report_not_run(phase, reason);
  if (auto report = unmet(phase)) return report;
  if (auto report = without_writer(phase)) return report;
  if (is_layout(phase) && preparation_->laid_out(phase.disk)) return report_reused(phase);
  return std::nullopt;
}

PhaseReport RunSession::judged(std::size_t index, std::span<const FinishedRun> runs, const PhaseWatcher& watcher) {
  const PhasePlan& phase = report_.plan.phases[index];
  const PhaseResult& last = runs.back().result;
  if (last.unavailable && phase.optional) return report_skipped(phase, last.reason);
  PhaseReport report = judge_phase(phase, runs,
                                   {.disk = facts_of(phase.disk),
                                    .phases = &report_.phases,
                                    .aborts = &watcher.aborts(),
                                    .throttle = throttle_of(report_.plan, phase.disk)});
  report.interrupted = last.interrupted && parts_.stop.cause() == StopControl::Cause::interrupted;
  if (is_layout(phase) && report.outcome == Outcome::pass) preparation_->record_layout(phase.disk, phase.seed);
  return report;
}

void RunSession::start_phase(const PhasePlan& phase) {
  if (phase.operations.trim > 0) preparation_->forget_layout(phase.disk);
  drop_untrue_manifests(report_.plan, phase, preparation_->engine_state_folder());
  parts_.view.phase_started(phase);
}

// A phase that failed in its turn has no further one; the others go on.
void RunSession::run_in_turns(std::size_t first, std::size_t last) {
  const auto& phases = report_.plan.phases;
  std::vector<Turns> all;
  std::uint64_t idle = 0;
  for (std::size_t i = first; i < last; ++i) {
    all.push_back({i, without_running(phases[i]), std::make_unique<PhaseWatcher>(report_, phases[i], written_)});
    if (!all.back().without) idle = std::max(idle, phases[i].pause);
  }
  pause(idle);
  const auto has_turn = [&](const Turns& turns) {
    if (turns.without || !turns.watcher->aborts().verdict().empty()) return false;
    return turns.runs.empty() || measured(phases[turns.index], turns.runs.back().result);
  };
  const RepeatPlan& rounds = phases[first].repeat;
  for (std::uint32_t round = 0; round < rounds.count && std::ranges::any_of(all, has_turn); ++round) {
    if (round > 0) pause(rounds.interval);
    for (Turns& turns : all) {
      if (!has_turn(turns)) continue;
      const PhasePlan& phase = phases[turns.index];
      std::string reason = obstacle(phase);
      if (reason.empty()) reason = missing_manifest(phase);
      if (!reason.empty()) {
        turns.runs.push_back(run_not(reason));
        continue;
      }
      if (round == 0) start_phase(phase);
      ViewObserver shown(parts_.view, phase, round + 1);
      turns.watcher->begin_run(shown);
      PhaseObserver* const observers[] = {turns.watcher.get()};
      turns.runs.push_back(std::move(run_once({&turns.index, 1}, round, observers).front()));
      turns.watcher->end_run(turns.runs.back().result);
      turns.watcher->judge_written(turns.runs.back().result);
    }
  }
  for (Turns& turns : all) {
    report_.phases[turns.index] =
        turns.without ? std::move(*turns.without) : judged(turns.index, turns.runs, *turns.watcher);
  }
}

// All of them or none.
void RunSession::run_together(std::size_t first, std::size_t last) {
  const auto& phases = report_.plan.phases;
  std::vector<std::size_t> indices;
  std::uint64_t idle = 0;
  for (std::size_t i = first; i < last; ++i) {
    indices.push_back(i);
    idle = std::max(idle, phases[i].pause);
  }
  if (!without_one(indices)) pause(idle);
  if (without_one(indices)) return report_without(indices);
  GroupProgress progress(parts_.view, phases[last], indices.size());
  std::vector<std::unique_ptr<PhaseWatcher>> watchers;
  std::vector<PhaseObserver*> observers;
  for (const std::size_t i : indices) {
    start_phase(phases[i]);
    watchers.push_back(std::make_unique<PhaseWatcher>(report_, phases[i], written_));
    watchers.back()->begin_run(*progress.observers()[watchers.size() - 1]);
    observers.push_back(watchers.back().get());
  }
  std::vector<FinishedRun> runs = run_once(indices, 0, observers);
  for (std::size_t i = 0; i < indices.size(); ++i) watchers[i]->end_run(runs[i].result);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    watchers[i]->judge_written(runs[i].result);
    report_.phases[indices[i]] = judged(indices[i], {&runs[i], 1}, *watchers[i]);
  }
}

// One of the phases cannot be run.
bool RunSession::without_one(std::span<const std::size_t> indices) const {
  return std::ranges::any_of(indices,
                             [&](std::size_t i) { return without_running(report_.plan.phases[i]).has_value(); });
}

// Each with its own reason, or that of another's.
void RunSession::report_without(std::span<const std::size_t> indices) {
  std::optional<PhaseReport> missing;
  for (const std::size_t i : indices) {
    if (!missing) missing = without_running(report_.plan.phases[i]);
  }
  for (const std::size_t i : indices) {
    const PhasePlan& phase = report_.plan.phases[i];
    const std::string reason = "not run because " + missing->name + ", which was to run at the same time, " +
                               (missing->outcome == Outcome::skipped ? "was skipped" : "could not be");
    auto own = without_running(phase);
    if (!own)
      own = missing->outcome == Outcome::skipped ? report_skipped(phase, reason) : report_not_run(phase, reason);
    report_.phases[i] = std::move(*own);
  }
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
              fmt::format("the timeout of group {} passed ({})", group.name, format_ns(group.timeout))};
  }
  group.parallel ? run_together(first, last) : run_in_turns(first, last);
  group_ = {};
  const std::span plans(phases.data() + first, last - first);
  const std::span reports(report_.phases.data() + first, last - first);
  const bool skipped =
      std::ranges::all_of(reports, [](const PhaseReport& report) { return report.outcome == Outcome::skipped; });
  report_.phases[last] = skipped ? report_skipped(group, reports.front().reason) : judge_group(group, plans, reports);
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
