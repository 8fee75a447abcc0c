// Spread is (highest - lowest) / median of the runs that count.
#include "report/repeats.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "metrics/runs.hpp"
#include "plan/enum_names.hpp"
#include "report/facts.hpp"

namespace diskproof {
namespace {

const RepeatPlan* repeat_of(const RunReport& report, const PhaseReport& phase) {
  const PhasePlan* plan = find_planned(report, phase.name);
  return plan != nullptr && plan->repeat.count > 1 ? &plan->repeat : nullptr;
}

std::vector<double> values_of(const PhaseReport& phase, const std::string& metric) {
  std::vector<double> values;
  for (const RunRecord& run : phase.runs) {
    if (const auto value = run.metrics.find(metric); value && !run.discarded) values.push_back(*value);
  }
  return values;
}

std::string score_line(const PhaseReport& phase, const std::string& metric) {
  const auto score = phase.metrics.find(metric);
  const std::vector<double> values = values_of(phase, metric);
  if (!score || values.empty()) return "";
  const auto [lowest, highest] = std::ranges::minmax(values);
  const double median = score_of(values, Score::median, metric);
  const double spread = median > 0 ? (highest - lowest) / median : 0;
  return fmt::format("{} {}; median {}, spread {:.1f} % ({} to {})", metric, metric_text(metric, *score),
                     metric_text(metric, median), spread * 100, metric_text(metric, lowest),
                     metric_text(metric, highest));
}

}  // namespace

std::string score_words(const RunReport& report, const PhaseReport& phase) {
  const RepeatPlan* repeat = repeat_of(report, phase);
  if (repeat == nullptr) return "";
  if (phase.runs.empty()) return "";
  if (phase.scored) return fmt::format("run {} of {}", *phase.scored + 1, phase.runs.size());
  const auto counted = std::ranges::count(phase.runs, false, &RunRecord::discarded);
  return fmt::format("{} of {}", name_of(repeat->score), counted);
}

std::vector<std::string> score_lines(const RunReport& report, const PhaseReport& phase) {
  std::vector<std::string> lines;
  if (repeat_of(report, phase) == nullptr) return lines;
  for (const char* direction : {"read", "write", "trim"}) {
    for (const char* metric : {".iops", ".bandwidth"}) {
      if (std::string line = score_line(phase, std::string(direction) + metric); !line.empty())
        lines.push_back(std::move(line));
    }
  }
  return lines;
}

std::vector<std::string> run_lines(const RunReport& report, const PhaseReport& phase) {
  std::vector<std::string> lines;
  const RepeatPlan* repeat = repeat_of(report, phase);
  if (repeat == nullptr) return lines;
  for (const RunRecord& run : phase.runs) {
    std::string line = fmt::format("run {} of {}", lines.size() + 1, repeat->count);
    if (run.discarded) line += " (not counted)";
    std::string numbers;
    for (const std::string metric : {"total.iops", "total.bandwidth"}) {
      if (const auto value = run.metrics.find(metric)) numbers += metric + " " + metric_text(metric, *value) + ", ";
    }
    lines.push_back(fmt::format("{}: {}seed {}", line, numbers, run.seed));
  }
  return lines;
}

}  // namespace diskproof
