// Puts metrics and verdict together for one phase.
#include "cli/judge_phase.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "cli/judge_verify.hpp"
#include "cli/run_records.hpp"
#include "metrics/runs.hpp"
#include "plan/enum_names.hpp"
#include "support/counted.hpp"
#include "verdict/evaluate.hpp"
#include "verdict/findings.hpp"
#include "verdict/threshold_expr.hpp"

namespace diskproof {
namespace {

PhaseReport blank_report(const PhasePlan& phase) {
  PhaseReport report;
  report.name = phase.name;
  report.kind = std::string(name_of(phase.kind));
  report.disk = phase.disk;
  report.engine = phase.engine.name;
  return report;
}

MetricsContext context_of(const PhasePlan& phase) {
  MetricsContext context;
  context.planned_depth = std::uint64_t{phase.queue_depth} * phase.threads;
  std::set<std::string> extra;
  for (const Threshold& threshold : phase.thresholds) {
    const CompiledThreshold compiled = compile_threshold(threshold);
    const auto* expr = std::get_if<ThresholdExpr>(&compiled);
    if (const auto label = expr != nullptr ? extra_percentile(*expr) : std::nullopt) extra.insert(*label);
  }
  context.extra_percentiles.assign(extra.begin(), extra.end());
  return context;
}

std::uint64_t count_errors(const RunData& data) {
  std::uint64_t errors = 0;
  for (const DirectionTotals& direction : data.directions) errors += direction.errors;
  return errors;
}

std::uint64_t count_operations(const RunData& data) {
  std::uint64_t operations = 0;
  for (const DirectionTotals& direction : data.directions) operations += direction.operations;
  return operations;
}

// Why a run does not count as measured; empty when it does.
std::string fault_of(const PhasePlan& phase, const PhaseResult& result) {
  if (!result.completed) return result.reason.empty() ? "the phase did not complete" : result.reason;
  if (!result.data) return "nothing was measured";
  if (const std::string fault = fault_of_check(phase, *result.data); !fault.empty()) return fault;
  if (phase.kind == PhaseKind::verify) return "";  // what cannot be read is one of its findings
  if (const bool writes_nothing = phase.layout == Layout::allocated && phase.kind == PhaseKind::layout;
      !writes_nothing && count_operations(*result.data) == 0) {
    return "no operation succeeded inside the window, so nothing was measured; give it a longer duration, or see the "
           "errors";
  }
  const std::uint64_t errors = count_errors(*result.data);
  if (errors <= phase.max_errors) return "";
  const auto& examples = result.data->error_examples;
  const std::string example =
      examples.empty() ? "" : fmt::format("; the first: {} at byte {}", examples.front().text, examples.front().offset);
  return fmt::format("{} failed, more than max_errors {}{}", counted(errors, "operation"), phase.max_errors, example);
}

// Of all of them: empty when each was measured and none is missing.
std::string fault_of(const PhasePlan& phase, std::span<const FinishedRun> runs) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string fault = fault_of(phase, runs[i].result);
    if (!fault.empty()) return run_lead(phase, i) + fault;
  }
  if (runs.size() == phase.repeat.count) return "";
  return fmt::format("{} of {} runs were done", runs.size(), phase.repeat.count);
}

class FindingCollector {
 public:
  FindingCollector(const PhasePlan& phase, PhaseReport& report) : phase_(phase), report_(report) {}

  // What makes a run invalid is looked for in each, everything else in what they come to.
  void collect(const RunRecords& records, const Surroundings& around) {
    for (const auto& [number, data, metrics] : records.counted()) {
      add("clock_drift", clock_drift(*data), run_lead(phase_, number));
      add("books_do_not_balance", books_do_not_balance(*data, *metrics), run_lead(phase_, number));
    }
    const RunData& data = *report_.data;
    add("verify_limited", verify_limited(data));
    if (phase_.kind != PhaseKind::measure) return;  // how fast a layout was is of no account
    if (around.disk != nullptr) collect_filesystem(*around.disk);
    const std::uint64_t planned_depth = std::uint64_t{phase_.queue_depth} * phase_.threads;
    // With one I/O at a time there is no queue to keep full: what lies between two of them is told by runner_limited.
    if (phase_.rate == 0 && phase_.think_time == 0 && phase_.queue_depth > 1)
      add("depth_not_reached", depth_not_reached(report_.metrics, planned_depth));
    add("runner_limited", runner_limited(report_.metrics));
    add("batch_bound_latency", batch_bound_latency(data));
    add("long_drain", long_drain(data, report_.metrics));
    if (around.throttle != nullptr) add("throttled_by_us", throttled_by_us(phase_.disk, *around.throttle));
    add("over_limit", over_limit(report_.metrics, phase_.limits));
    for (const ThresholdResult& result : report_.thresholds) {
      const bool met_a_limit = result.outcome == Outcome::pass && result.limit_metric;
      if (met_a_limit) add("capped", capped(result.metric, report_.metrics, phase_.limits));
    }
  }

 private:
  void collect_filesystem(const DiskFacts& disk) {
    add("on_tmpfs", on_tmpfs(disk.filesystem, phase_.targets.empty() ? "" : phase_.targets.front().spec));
    if (!disk.network) return;
    const NetworkLoad load{.read_block = phase_.operations.read > 0 ? phase_.block_size : 0,
                           .write_block = phase_.operations.write > 0 ? phase_.block_size : 0,
                           .direct = phase_.direct};
    add("mount_options", remarkable_mount(*disk.network, disk.mount_options, load));
    add("client_cache", client_cache(*disk.network, report_.data->network, load, report_.metrics));
  }

  void add(std::string_view name, const std::optional<std::string>& text, const std::string& lead = {}) {
    if (!text) return;
    auto finding = make_finding(name, lead + *text, phase_.findings);
    const auto same = [&](const Finding& other) { return other.name == finding->name && other.text == finding->text; };
    if (!finding || std::any_of(report_.findings.begin(), report_.findings.end(), same)) return;
    report_.findings.push_back(std::move(*finding));
  }

  const PhasePlan& phase_;
  PhaseReport& report_;
};

// Why the measurement does not count; empty when it does.
std::string invalidity(const PhaseReport& report) {
  const auto found = std::find_if(report.findings.begin(), report.findings.end(),
                                  [](const Finding& finding) { return finding.level == FindingLevel::error; });
  return found == report.findings.end() ? std::string() : found->name + ": " + found->text;
}

// What was observed in a phase that does not count decides nothing.
void invalidate(std::vector<ThresholdResult>& thresholds, const std::string& why) {
  for (ThresholdResult& result : thresholds) {
    if (result.outcome == Outcome::error || result.outcome == Outcome::skipped) continue;
    result.outcome = Outcome::error;
    result.reason = "does not count, because the phase is invalid: " + why;
  }
}

void judge_outcome(PhaseReport& report, const std::string& fault) {
  report.reason = fault;
  if (fault.empty()) {
    report.reason = invalidity(report);
    if (!report.reason.empty()) invalidate(report.thresholds, report.reason);
  }
  report.outcome = report.reason.empty() ? judge(report.thresholds, report.findings) : Outcome::error;
}

}  // namespace

std::function<OtherValue(const std::string&, const MetricInfo&)> other_values(const std::vector<PhaseReport>* phases) {
  return [phases](const std::string& name, const MetricInfo& metric) -> OtherValue {
    if (phases == nullptr) return {.value = {}, .reason = "is not known"};
    const auto found =
        std::find_if(phases->begin(), phases->end(), [&](const PhaseReport& other) { return other.name == name; });
    if (found == phases->end()) return {.value = {}, .reason = "is not there"};
    if (found->outcome == Outcome::skipped) return {.value = {}, .reason = "was skipped", .skipped = true};
    if (found->outcome == Outcome::error) return {.value = {}, .reason = "was not measured: " + found->reason};
    if (const auto value = found->metrics.find(metric.name)) return {.value = value};
    if (!found->data || !metric.percentile) return {.value = {}, .reason = "did not measure " + metric.name};
    MetricsContext context;
    context.extra_percentiles = {percentile_label(*metric.percentile)};
    return {.value = compute_metrics(*found->data, context).find(metric.name),
            .reason = "did not measure " + metric.name};
  };
}

bool measured(const PhasePlan& phase, const PhaseResult& result) { return fault_of(phase, result).empty(); }

PhaseReport judge_phase(const PhasePlan& phase, std::span<const FinishedRun> runs, const Surroundings& around) {
  PhaseReport report = blank_report(phase);
  for (const FinishedRun& run : runs) {
    report.seconds += run.result.seconds;
    if (run.result.stuck) report.stuck = run.result.stuck;
    if (!run.result.log_tail.empty()) report.log_tail = run.result.log_tail;
  }
  if (!runs.empty()) report.started_at = runs.front().started_at;
  // Ended by its own condition it counts as measured, also where nothing completed any more.
  const bool aborted =
      !runs.empty() && runs.back().result.completed && around.aborts != nullptr && !around.aborts->verdict().empty();
  const std::string fault = aborted ? "" : fault_of(phase, runs);
  const RunRecords records(phase, runs, context_of(phase));
  records.fill(report);
  const Evidence evidence{.metrics = report.data ? &report.metrics : nullptr,
                          .run = report.data.get(),
                          .runs = records.scored_from(),
                          .score = records.score_text(),
                          .limits = phase.limits,
                          .phase_error = aborted ? "not judged, because the phase was ended by `abort`" : fault,
                          .other = other_values(around.phases),
                          .phase_skipped = aborted};
  for (const Threshold& threshold : phase.thresholds) report.thresholds.push_back(evaluate(threshold, evidence));
  if (around.aborts != nullptr) {
    for (ThresholdResult& result : around.aborts->results(fault)) report.thresholds.push_back(std::move(result));
  }
  const std::string why_not = aborted ? evidence.phase_error : fault;
  if (auto result = verification(phase, report.data.get(), why_not, aborted)) {
    report.thresholds.push_back(std::move(*result));
  }
  if (report.data && fault.empty()) FindingCollector(phase, report).collect(records, around);
  judge_outcome(report, fault);
  return report;
}

namespace {

PhaseReport report_unmeasured(const PhasePlan& phase, Outcome outcome, const std::string& reason) {
  PhaseReport report = blank_report(phase);
  report.outcome = outcome;
  report.reason = reason;
  Evidence evidence;
  evidence.phase_error = reason;
  evidence.phase_skipped = outcome == Outcome::skipped;
  for (const Threshold& threshold : phase.thresholds) report.thresholds.push_back(evaluate(threshold, evidence));
  for (ThresholdResult& condition : AbortWatch(phase.aborts, evidence, {}).results(reason)) {
    condition.outcome = outcome;
    report.thresholds.push_back(std::move(condition));
  }
  if (auto result = verification(phase, nullptr, reason, outcome == Outcome::skipped)) {
    report.thresholds.push_back(std::move(*result));
  }
  return report;
}

}  // namespace

PhaseReport report_not_run(const PhasePlan& phase, const std::string& reason) {
  return report_unmeasured(phase, Outcome::error, reason);
}

PhaseReport report_skipped(const PhasePlan& phase, const std::string& reason) {
  return report_unmeasured(phase, Outcome::skipped, reason);
}

PhaseReport report_reused(const PhasePlan& phase) {
  PhaseReport report = blank_report(phase);
  report.outcome = Outcome::pass;
  report.reason = "its files were written by an earlier run, which kept them";
  return report;
}

}  // namespace diskproof
