// From what a phase measured to its entry in the report: metrics, findings, thresholds, outcome. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "exec/phase_runner.hpp"
#include "plan/plan.hpp"
#include "report/run_report.hpp"

namespace diskproof {

// One run of a phase, as it ended.
struct FinishedRun {
  PhaseResult result;
  std::uint64_t seed = 0;
  std::string started_at;  // ISO 8601, UTC
};

// The run was measured as planned, and its errors are within what the phase allows.
bool measured(const PhasePlan& phase, const PhaseResult& result);

// `runs` in order, as many as there were. `filesystem` is the type under the phase's disk; empty: unknown or none.
PhaseReport judge_phase(const PhasePlan& phase, std::span<const FinishedRun> runs, const std::string& filesystem);

// A phase that was not run, with every threshold unmeasured for that reason.
PhaseReport report_not_run(const PhasePlan& phase, const std::string& reason);

// A layout phase whose files an earlier run wrote and kept.
PhaseReport report_reused(const PhasePlan& phase);

}  // namespace diskproof
