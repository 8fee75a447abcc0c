// The runs of a phase as its report keeps them, and what they come to.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "cli/judge_phase.hpp"
#include "metrics/phase_metrics.hpp"

namespace diskproof {

// "run 2 of 5: " before what is said of one run; empty where the phase runs once.
std::string run_lead(const PhasePlan& phase, std::size_t position);

class RunRecords {
 public:
  struct Counted {
    std::size_t position = 0;  // among the runs
    const RunData* data = nullptr;
    const PhaseMetrics* metrics = nullptr;
  };

  // Keeps a view of `runs`.
  RunRecords(const PhasePlan& phase, std::span<const FinishedRun> runs, const MetricsContext& context);

  // The runs that measured something and are not discarded.
  [[nodiscard]] const std::vector<Counted>& counted() const noexcept { return counted_; }

  // Runs, metrics, data and errors of I/O.
  void fill(PhaseReport& report) const;

  // For thresholds; empty where the phase runs once.
  [[nodiscard]] std::span<const PhaseMetrics* const> scored_from() const noexcept;
  [[nodiscard]] std::string score_text() const;

 private:
  [[nodiscard]] PhaseMetrics scored_metrics(const RunData& joined, PhaseReport& report) const;

  const PhasePlan& phase_;
  const std::span<const FinishedRun> runs_;
  const MetricsContext context_;
  std::vector<PhaseMetrics> metrics_;  // of every run
  std::vector<Counted> counted_;
  std::vector<const PhaseMetrics*> counted_metrics_;
};

}  // namespace diskproof
