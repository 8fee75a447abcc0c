// Bound first, then what is missing, then whether there is enough of it, then the comparison.
#include "verdict/evaluate.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <optional>

#include "verdict/interval_check.hpp"
#include "verdict/limits.hpp"

namespace diskproof {
namespace {

constexpr std::uint64_t kBeyond = 10;  // operations that must lie beyond a percentile

std::string_view words_of(Comparison comparison) {
  switch (comparison) {
    case Comparison::at_least:
      return "at least";
    case Comparison::above:
      return "more than";
    case Comparison::at_most:
      return "at most";
    case Comparison::below:
      return "less than";
    case Comparison::equal:
      return "exactly";
    case Comparison::within:
      return "within";
  }
  return {};
}

// Two values as people read them, with all digits where rounding would make different values look the same.
struct Pair {
  std::string observed, bound;
};

Pair format_pair(double observed, double bound, MetricUnit unit) {
  Pair pair{format_metric(observed, unit), format_metric(bound, unit)};
  if (observed == bound || pair.observed != pair.bound) return pair;
  return {fmt::format("{} ({} {})", pair.observed, observed, to_string(unit)),
          fmt::format("{} ({} {})", pair.bound, bound, to_string(unit))};
}

struct Bound {
  std::optional<double> value;
  std::optional<HeldLimit> held;
  OtherValue other{};  // `of phase`
};

Bound bound_of(const ThresholdExpr& expr, const Evidence& evidence) {
  if (expr.phase) {
    OtherValue other = evidence.other ? evidence.other(expr.phase->name, expr.metric) : OtherValue{};
    if (!other.value && other.reason.empty()) other.reason = "was not measured";
    const auto value = other.value ? std::optional(*other.value * expr.phase->share) : std::nullopt;
    return {value, {}, std::move(other)};
  }
  if (!expr.limit) return {expr.number, {}};
  if (evidence.metrics == nullptr) return {};
  auto held = tightest_limit(evidence.limits, expr.metric, measured_shape(*evidence.metrics), expr.limit->group);
  if (!held) return {};
  return {held->value * expr.limit->share, std::move(held)};
}

// "at least 14,250/s (95 % of limit 15,000/s (instance total.iops))"
std::string requirement(const ThresholdExpr& expr, const Bound& bound, const std::string& shown) {
  std::string text(words_of(expr.comparison));
  if (expr.comparison == Comparison::within) text += fmt::format(" {:.4g} % of", expr.tolerance * 100);
  text += " " + shown;
  if (expr.phase && bound.other.value) {
    const std::string reached =
        fmt::format("{} of phase {}", format_metric(*bound.other.value, expr.metric.row->unit), expr.phase->name);
    return text + (expr.phase->share == 1 ? ", the " : fmt::format(", {:.6g} % of the ", expr.phase->share * 100)) +
           reached;
  }
  if (!bound.held) return text;
  const std::string limit = describe(*bound.held, expr.metric.row->unit);
  if (expr.limit->share == 1) return text + ", the " + limit;
  return text + fmt::format(", {:.6g} % of the {}", expr.limit->share * 100, limit);
}

std::string why_no_value(const ThresholdExpr& expr, const Evidence& evidence) {
  const PhaseMetrics* const metrics = evidence.metrics;
  const std::string& direction = expr.metric.direction;
  const auto has_it = [&](const PhaseMetrics* run) { return run->find(expr.metric.name).has_value(); };
  const auto with = std::ranges::count_if(evidence.runs, has_it);
  if (with > 0) {
    return fmt::format("{} was measured in {} of {} runs only, so it has no score; measure longer, or judge merged.{}",
                       expr.metric.name, with, evidence.runs.size(), expr.metric.name);
  }
  const std::string text = fmt::format("{} was not measured", expr.metric.name);
  if (metrics == nullptr || direction.empty()) return text;
  if (!metrics->find(direction + ".operations")) {
    return text + (direction == "total" ? ": nothing was issued" : fmt::format(": the phase issued no {}", direction));
  }
  if (*metrics->find(direction + ".operations") == 0)
    return text + fmt::format(": no {} succeeded", direction == "total" ? "operation" : direction);
  return text;
}

std::string why_no_limit(const ThresholdExpr& expr) {
  if (expr.limit->group)
    return fmt::format("the limits of '{}' have no entry that applies to {}", *expr.limit->group, expr.metric.name);
  return fmt::format("no limit applies to {}", expr.metric.name);
}

// The operations that a percentile is of: where runs were scored, of the one that had the fewest.
double operations_behind(const MetricInfo& metric, const Evidence& evidence) {
  const std::string name = metric.direction + ".operations";
  if (is_merged(metric)) return evidence.metrics->find("merged." + name).value_or(0);
  if (evidence.runs.empty()) return evidence.metrics->find(name).value_or(0);
  double fewest = std::numeric_limits<double>::infinity();
  for (const PhaseMetrics* run : evidence.runs) fewest = std::min(fewest, run->find(name).value_or(0));
  return fewest;
}

// Too few operations for the percentile: why, else empty.
std::string unsupported_percentile(const MetricInfo& metric, const Evidence& evidence) {
  constexpr std::uint64_t kWhole = 100 * kMillionths;
  if (!metric.percentile || *metric.percentile >= kWhole) return {};
  const double measured = operations_behind(metric, evidence);
  const std::uint64_t rest = kWhole - *metric.percentile;
  const std::uint64_t needed = (kBeyond * kWhole + rest - 1) / rest;
  if (measured >= static_cast<double>(needed)) return {};
  const bool of_runs = evidence.runs.size() > 1 && !is_merged(metric);
  return fmt::format("{} needs {} operations {}to have {} beyond it, {:.0f} were measured{}", metric.name, needed,
                     of_runs ? "in each run " : "", kBeyond, measured, of_runs ? " in one" : "");
}

void judge_intervals(const ThresholdExpr& expr, const Bound& bound, const RunData* run, ThresholdResult& result) {
  const IntervalCheck check = run == nullptr ? IntervalCheck{} : check_intervals(expr, *bound.value, *run);
  result.observed = check.decisive;
  if (check.full == 0) {
    result.reason = "there is no full interval to judge; measure longer or sample faster";
    return;
  }
  const MetricUnit unit = expr.metric.row->unit;
  result.outcome = check.held >= check.needed ? Outcome::pass : Outcome::fail;
  std::string reached;
  Pair shown{{}, format_metric(*bound.value, unit)};
  if (check.decisive) {
    shown = format_pair(*check.decisive, *bound.value, unit);
    reached = fmt::format("; {} in the decisive one", shown.observed);
  }
  result.reason = fmt::format("{} was {} in {} of {} full intervals, required in {}{}", expr.metric.name,
                              requirement(expr, bound, shown.bound), check.held, check.full, check.needed, reached);
  if (check.empty > 0) result.reason += fmt::format("; nothing completed in {}", check.empty);
}

// " (median of 3 runs: 98/s, 100/s, 103/s)"
std::string scored_from(const ThresholdExpr& expr, const Evidence& evidence, const ThresholdResult& result) {
  if (result.runs.empty()) return "";
  std::string values;
  for (const double value : result.runs) {
    values += (values.empty() ? "" : ", ") + format_metric(value, expr.metric.row->unit);
  }
  return fmt::format(" ({}: {})", evidence.score, values);
}

void judge_run(const ThresholdExpr& expr, const Bound& bound, const Evidence& evidence, ThresholdResult& result) {
  const Pair shown = format_pair(*result.observed, *bound.value, expr.metric.row->unit);
  const bool held = holds(expr, *result.observed, *bound.value);
  result.outcome = held ? Outcome::pass : Outcome::fail;
  result.reason = fmt::format("{} was {}{}, required {}", expr.metric.name, shown.observed,
                              scored_from(expr, evidence, result), requirement(expr, bound, shown.bound));
}

}  // namespace

ThresholdResult evaluate(const ThresholdExpr& expr, const Evidence& evidence) {
  ThresholdResult result;
  result.check = expr.check;
  result.metric = expr.metric.name;
  result.warn = expr.warn.value_or(false);
  if (evidence.metrics != nullptr) result.observed = evidence.metrics->find(expr.metric.name);
  for (const PhaseMetrics* run : evidence.runs) {
    if (const auto value = run->find(expr.metric.name); value && !expr.interval_percent) result.runs.push_back(*value);
  }
  const Bound bound = bound_of(expr, evidence);
  result.bound = bound.value;
  if (bound.held) {
    result.limit_group = bound.held->group;
    result.limit_metric = bound.held->metric;
  }
  if (!evidence.phase_error.empty() || evidence.phase_skipped) {
    result.outcome = evidence.phase_skipped ? Outcome::skipped : Outcome::error;
    result.reason = evidence.phase_error;
  } else if (!result.observed) {
    result.reason = why_no_value(expr, evidence);
  } else if (!bound.value && expr.phase) {
    result.outcome = bound.other.skipped ? Outcome::skipped : Outcome::error;
    result.reason = fmt::format("not decided, because phase {} {}", expr.phase->name, bound.other.reason);
  } else if (!bound.value) {
    result.reason = why_no_limit(expr);
  } else if (const std::string why = unsupported_percentile(expr.metric, evidence); !why.empty()) {
    result.outcome = Outcome::inconclusive;
    result.reason = why;
  } else if (expr.interval_percent) {
    judge_intervals(expr, bound, evidence.run, result);
  } else {
    judge_run(expr, bound, evidence, result);
  }
  return result;
}

ThresholdResult evaluate(const Threshold& threshold, const Evidence& evidence) {
  const CompiledThreshold compiled = compile_threshold(threshold);
  if (const auto* expr = std::get_if<ThresholdExpr>(&compiled)) return evaluate(*expr, evidence);
  ThresholdResult result;  // a plan from elsewhere: check_gates lets none of these pass
  result.check = threshold.check;
  result.reason = std::get<ThresholdError>(compiled).text;
  return result;
}

Outcome judge(std::span<const ThresholdResult> thresholds, std::span<const Finding> findings) {
  Outcome outcome = Outcome::pass;
  for (const ThresholdResult& threshold : thresholds) {
    const bool soft = threshold.warn && threshold.outcome != Outcome::error;
    if (!soft) outcome = worse(outcome, threshold.outcome);
  }
  const bool invalid = std::ranges::any_of(findings, [](const Finding& f) { return f.level == FindingLevel::error; });
  return invalid ? Outcome::error : outcome;
}

}  // namespace diskproof
