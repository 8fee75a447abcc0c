// From what a phase measured to its entry in the report: metrics, findings, thresholds, outcome. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "exec/phase_runner.hpp"
#include "plan/plan.hpp"
#include "report/run_report.hpp"
#include "verdict/abort_watch.hpp"
#include "verdict/evaluate.hpp"

namespace diskproof {

// One run of a phase, as it ended.
struct FinishedRun {
  PhaseResult result;
  std::uint64_t seed = 0;
  std::string started_at;  // ISO 8601, UTC
};

// The run was measured as planned, and its errors are within what the phase allows.
bool measured(const PhasePlan& phase, const PhaseResult& result);

// What a phase is judged by, besides its plan and what it measured.
struct Surroundings {
  const DiskFacts* disk = nullptr;                   // what was found under the phase's disk
  const std::vector<PhaseReport>* phases = nullptr;  // of the job's run: `of phase NAME`
  const AbortWatch* aborts = nullptr;                // that watched it
  const LimitGroup* throttle = nullptr;              // that the job held the phase's disk to
};

// `runs` in order, as many as there were.
PhaseReport judge_phase(const PhasePlan& phase, std::span<const FinishedRun> runs, const Surroundings& around = {});

// What earlier phases reached, for thresholds and aborts.
std::function<OtherValue(const std::string& phase, const MetricInfo& metric)> other_values(
    const std::vector<PhaseReport>* phases);

// A phase that was not run, with every threshold unmeasured for that reason.
PhaseReport report_not_run(const PhasePlan& phase, const std::string& reason);

// The same for a phase that the job or the command line leaves out.
PhaseReport report_skipped(const PhasePlan& phase, const std::string& reason);

// A layout phase whose files an earlier run wrote and kept.
PhaseReport report_reused(const PhasePlan& phase);

}  // namespace diskproof
