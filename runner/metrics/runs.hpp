// Several runs of one phase as one: laid end to end, and scored metric by metric.
#pragma once

#include <cstddef>
#include <span>

#include "job/job.hpp"
#include "metrics/phase_metrics.hpp"
#include "metrics/run_data.hpp"

namespace diskproof {

// The runs one after the other without what lies between them: histograms merge exactly, the rows are numbered through,
// the window is as long as all windows. Clock and warm-up are those of the first run. Precondition: there is one.
RunData join_runs(std::span<const RunData* const> runs);

// Each metric that every run has, by score.
PhaseMetrics score_runs(std::span<const PhaseMetrics* const> runs, Score score);

// The run whose bandwidth comes nearest to the score of all, the first of equals. Precondition: there is one.
std::size_t scoring_run(std::span<const PhaseMetrics* const> runs, Score score);

// Adds the merged.* of `joined`, the metrics of joined runs.
void add_merged(const PhaseMetrics& joined, PhaseMetrics& metrics);

// What values of one metric come to. Precondition: there is one.
double score_of(std::span<const double> values, Score score, std::string_view metric);

}  // namespace diskproof
