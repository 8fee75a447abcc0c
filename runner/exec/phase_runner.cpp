// One loop over all watches: whoever has something to say is heard, and nobody waits for another but for go.
#include "exec/phase_runner.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <memory>

#include "exec/phase_integrity.hpp"
#include "exec/phase_watch.hpp"
#include "support/clock.hpp"

namespace diskproof {
namespace {

using std::chrono::milliseconds;

// ns between go and the start: for the frame to arrive and every thread to wake, about 2 ms on a machine with free
// CPUs.
constexpr std::uint64_t kLead = 10'000'000;

class PhasesTogether {
 public:
  PhasesTogether(const Plan& plan, std::span<const PhaseStart> starts, const ChildSettings& settings,
                 const std::atomic<bool>& stop)
      : poll_(std::max(milliseconds(1), kChildPoll / std::max(static_cast<int>(starts.size()), 1))),
        plan_(plan),
        state_dir_(settings.state_dir),
        results_(starts.size()) {
    Plan own = plan;
    for (const PhaseStart& start : starts) {
      PhasePlan& phase = own.phases.at(start.index);
      phase.seed = start.seed;
      phase.timeout = start.timeout;
      names_.push_back(phase.name);
      phases_.push_back(start.index);
    }
    for (std::size_t i = 0; i < starts.size(); ++i) {
      try {
        owe_manifest(own, own.phases[starts[i].index], state_dir_);
        watches_.push_back(std::make_unique<PhaseWatch>(own, starts[i].index, settings, stop, *starts[i].observer));
      } catch (const std::exception& fault) {
        watches_.emplace_back();
        results_[i].reason = fault.what();
        leave(i);
      }
    }
  }

  std::vector<PhaseResult> run() {
    while (std::ranges::any_of(watches_, [](const auto& watch) { return watch != nullptr; })) {
      if (!decided_) start_or_give_up();
      for (std::size_t i = 0; i < watches_.size(); ++i) {
        if (watches_[i] != nullptr && !watches_[i]->look(poll_)) end(i);
      }
    }
    return std::move(results_);
  }

 private:
  // Once everybody is ready, all get the same go. Without one of them the others would measure something else.
  void start_or_give_up() {
    const auto lost = std::ranges::find_if(watches_, [](const auto& watch) { return watch == nullptr; });
    const bool all_there = lost == watches_.end();
    if (all_there && !std::ranges::all_of(watches_, [](const auto& watch) { return watch->ready(); })) return;
    decided_ = true;
    const std::uint64_t start = monotonic_ns() + kLead;
    for (const auto& watch : watches_) {
      if (watch == nullptr) continue;
      if (all_there) {
        watch->go(start);
      } else {
        watch->abandon("not started, because " + names_[static_cast<std::size_t>(lost - watches_.begin())] +
                       ", which was to run at the same time, could not start");
      }
    }
  }

  void end(std::size_t position) {
    try {
      results_[position] = watches_[position]->finish();
    } catch (const std::exception& fault) {
      results_[position].reason = fault.what();
    }
    watches_[position].reset();
    leave(position);
  }

  // Also of a phase that could not begin: its map may go on with that of an earlier one.
  void leave(std::size_t position) {
    try {
      leave_manifest(plan_.phases[phases_[position]], state_dir_);
    } catch (const std::exception& fault) {
      PhaseResult& result = results_[position];
      result.completed = false;
      result.reason += (result.reason.empty() ? "" : "; ") + std::string(fault.what());
    }
  }

  const milliseconds poll_;
  const Plan& plan_;
  const std::string state_dir_;
  std::vector<std::string> names_;
  std::vector<std::size_t> phases_;                   // indexes in the plan
  std::vector<std::unique_ptr<PhaseWatch>> watches_;  // null: over
  std::vector<PhaseResult> results_;
  bool decided_ = false;
};

}  // namespace

std::vector<PhaseResult> run_phases(const Plan& plan, std::span<const PhaseStart> starts, const ChildSettings& settings,
                                    const std::atomic<bool>& stop) {
  return PhasesTogether(plan, starts, settings, stop).run();
}

PhaseResult run_phase(const Plan& plan, std::size_t index, const ChildSettings& settings, const std::atomic<bool>& stop,
                      PhaseObserver& observer) {
  const PhasePlan& phase = plan.phases.at(index);
  const PhaseStart start{index, phase.seed, phase.timeout, &observer};
  return std::move(run_phases(plan, {&start, 1}, settings, stop).front());
}

}  // namespace diskproof
