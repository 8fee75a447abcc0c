// A group is measured when each of its phases was, and ends as the worst of them. Its thresholds judge the common
// window.
#include "cli/judge_group.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>

#include "metrics/members.hpp"
#include "verdict/evaluate.hpp"
#include "verdict/findings.hpp"

namespace diskproof {
namespace {

std::string fault_of(std::span<const PhaseReport> phases) {
  for (const PhaseReport& phase : phases) {
    if (phase.outcome == Outcome::error) return fmt::format("{}: {}", phase.name, phase.reason);
  }
  return "";
}

// Results of `abort` conditions stand behind those of the phase's own thresholds.
std::string aborted(std::span<const PhasePlan> plans, std::span<const PhaseReport> phases) {
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const auto& results = phases[i].thresholds;
    const std::size_t first = plans[i].thresholds.size(), end = first + plans[i].aborts.size();
    for (std::size_t n = first; n < std::min(end, results.size()); ++n) {
      if (results[n].outcome == Outcome::fail) return phases[i].name;
    }
  }
  return "";
}

std::vector<Member> measured_members(std::span<const PhasePlan> plans, std::span<const PhaseReport> phases) {
  std::vector<Member> members;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    if (phases[i].data) members.push_back({phases[i].data.get(), plans[i].warmup});
  }
  return members;
}

// Sums of what all of its phases measured; nothing where one measured nothing. Answers with the common window.
std::optional<RunData> add_sums(std::span<const PhasePlan> plans, std::span<const PhaseReport> phases,
                                PhaseReport& report) {
  const std::vector<Member> members = measured_members(plans, phases);
  if (members.empty() || members.size() != phases.size()) return std::nullopt;
  report.data = std::make_shared<const RunData>(sum_members(members));
  report.metrics = compute_metrics(*report.data, {});
  auto common = common_window(members);
  if (common) {
    report.common = CommonWindow{.begin = common->window_begin,
                                 .end = common->window_end,
                                 .metrics = compute_metrics(*common, {}),
                                 .intervals = common->intervals};
  }
  return common;
}

}  // namespace

PhaseReport judge_group(const PhasePlan& group, std::span<const PhasePlan> plans, std::span<const PhaseReport> phases) {
  PhaseReport report;
  report.name = group.name;
  report.kind = "group";
  report.disk = group.disk;
  for (const PhaseReport& phase : phases) {
    report.interrupted = report.interrupted || phase.interrupted;
    report.seconds = group.parallel ? std::max(report.seconds, phase.seconds) : report.seconds + phase.seconds;
    const bool first = !phase.started_at.empty() && (report.started_at.empty() || phase.started_at < report.started_at);
    if (first) report.started_at = phase.started_at;
  }
  report.reason = fault_of(phases);
  const auto common = group.parallel ? add_sums(plans, phases, report) : std::nullopt;
  const std::string ended = report.reason.empty() ? aborted(plans, phases) : "";
  const std::string why_not =
      ended.empty() ? report.reason : fmt::format("not judged, because {} was ended by `abort`", ended);
  const Evidence evidence{.metrics = common ? &report.common->metrics : nullptr,
                          .run = common ? &*common : nullptr,
                          .limits = group.limits,
                          .phase_error = why_not,
                          .phase_skipped = !ended.empty()};
  for (const Threshold& threshold : group.thresholds) {
    ThresholdResult& result = report.thresholds.emplace_back(evaluate(threshold, evidence));
    if (!why_not.empty()) continue;
    result.reason = common ? "in the common window: " + result.reason
                           : "the phases had no whole interval in common; let them run for longer at the same time";
  }
  if (common) {
    auto text = over_limit(report.common->metrics, group.limits);
    auto finding = text ? make_finding("over_limit", "in the common window: " + *text, group.findings) : std::nullopt;
    if (finding) report.findings.push_back(std::move(*finding));
  }
  report.outcome = report.reason.empty() ? judge(report.thresholds, report.findings) : Outcome::error;
  for (const PhaseReport& phase : phases) report.outcome = worse(report.outcome, phase.outcome);
  return report;
}

}  // namespace diskproof
