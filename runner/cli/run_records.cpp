// One run is what it is; of several each metric has its score, and the histograms are merged.
#include "cli/run_records.hpp"

#include <fmt/format.h>
#include <utility>

#include "metrics/runs.hpp"
#include "plan/enum_names.hpp"

namespace diskproof {

std::string run_lead(const PhasePlan& phase, std::size_t position) {
  if (phase.repeat.count <= 1) return "";
  return fmt::format("run {} of {}: ", position + 1, phase.repeat.count);
}

RunRecords::RunRecords(const PhasePlan& phase, std::span<const FinishedRun> runs, const MetricsContext& context)
    : phase_(phase), runs_(runs), context_(context) {
  for (const FinishedRun& run : runs) {
    metrics_.push_back(run.result.data ? compute_metrics(*run.result.data, context) : PhaseMetrics{});
  }
  for (std::size_t i = phase.repeat.discard; i < runs.size(); ++i) {
    if (!runs[i].result.data) continue;
    counted_.push_back({i, runs[i].result.data.get(), &metrics_[i]});
    counted_metrics_.push_back(&metrics_[i]);
  }
}

void RunRecords::fill(PhaseReport& report) const {
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const PhaseResult& result = runs_[i].result;
    if (!result.data) continue;
    report.runs.push_back({.seed = runs_[i].seed,
                           .started_at = runs_[i].started_at,
                           .seconds = result.seconds,
                           .discarded = i < phase_.repeat.discard,
                           .metrics = metrics_[i],
                           .intervals = result.data->intervals});
    const auto& errors = result.data->error_examples;
    report.io_errors.insert(report.io_errors.end(), errors.begin(), errors.end());
  }
  if (counted_.empty()) return;
  if (phase_.repeat.count <= 1) {
    report.data = runs_[counted_.front().position].result.data;
    report.metrics = *counted_.front().metrics;
    return;
  }
  std::vector<const RunData*> data;
  for (const Counted& run : counted_) data.push_back(run.data);
  report.data = std::make_shared<const RunData>(join_runs(data));
  report.metrics = scored_metrics(*report.data, report);
}

PhaseMetrics RunRecords::scored_metrics(const RunData& joined, PhaseReport& report) const {
  const RepeatPlan& repeat = phase_.repeat;
  PhaseMetrics metrics;
  if (repeat.from_same_run) {
    const std::size_t scored = scoring_run(counted_metrics_, repeat.score);
    report.scored = static_cast<std::uint32_t>(counted_[scored].position);
    metrics = *counted_metrics_[scored];
  } else {
    metrics = score_runs(counted_metrics_, repeat.score);
  }
  add_merged(compute_metrics(joined, context_), metrics);
  return metrics;
}

std::span<const PhaseMetrics* const> RunRecords::scored_from() const noexcept {
  if (phase_.repeat.count <= 1) return {};
  return counted_metrics_;
}

std::string RunRecords::score_text() const {
  const RepeatPlan& repeat = phase_.repeat;
  if (!repeat.from_same_run) return fmt::format("{} of {} runs", name_of(repeat.score), counted_.size());
  return fmt::format("the run with the {} bandwidth of {}", name_of(repeat.score), counted_.size());
}

}  // namespace diskproof
