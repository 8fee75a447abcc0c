// One threshold against what was measured. Never passes on what was not measured.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "job/job.hpp"
#include "metrics/phase_metrics.hpp"
#include "metrics/run_data.hpp"
#include "verdict/threshold_expr.hpp"
#include "verdict/verdict.hpp"

namespace diskproof {

// What another phase of the run reached.
struct OtherValue {
  std::optional<double> value;
  std::string reason{};  // why there is none
  bool skipped = false;  // because that phase was left out
};

struct Evidence {
  const PhaseMetrics* metrics = nullptr;        // null: nothing was measured
  const RunData* run = nullptr;                 // the interval series; null: none
  std::span<const PhaseMetrics* const> runs{};  // that `metrics` are scored from, where there are several
  std::string score{};                          // how: "median of 3 runs"
  std::span<const LimitGroup> limits;
  std::string phase_error;  // why the phase ended in error or never ran; empty: it was measured as planned
  std::function<OtherValue(const std::string& phase, const MetricInfo& metric)> other{};  // for `of phase NAME`
  bool phase_skipped = false;  // the job or the command line left it out; phase_error says which
};

ThresholdResult evaluate(const ThresholdExpr& expr, const Evidence& evidence);

// Likewise, compiled first; one that does not compile is an error.
ThresholdResult evaluate(const Threshold& threshold, const Evidence& evidence);

// The outcome of a measured phase: the worst threshold, and error if a finding says that the run is invalid. A
// warn-threshold that failed or is inconclusive does not count; one that could not be measured does.
Outcome judge(std::span<const ThresholdResult> thresholds, std::span<const Finding> findings);

}  // namespace diskproof
