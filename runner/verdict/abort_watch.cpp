// Counting of intervals in a row.
#include "verdict/abort_watch.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "support/units.hpp"
#include "verdict/interval_check.hpp"
#include "verdict/limits.hpp"

namespace diskproof {

AbortWatch::AbortWatch(const std::vector<std::string>& conditions, const Evidence& evidence, const LoadShape& shape) {
  for (const std::string& text : conditions) {
    const CompiledThreshold compiled = compile_abort(text);
    const auto* expr = std::get_if<ThresholdExpr>(&compiled);
    if (expr == nullptr) continue;  // a plan from elsewhere: check_gates lets none of these pass
    Watched one{.expr = *expr, .bound = expr->number};
    if (expr->limit) {
      const auto held = tightest_limit(evidence.limits, expr->metric, shape, expr->limit->group);
      one.bound = held ? std::optional(held->value * expr->limit->share) : std::nullopt;
      if (!held) one.why_no_bound = "no limit applies to " + expr->metric.name;
    } else if (expr->phase) {
      const OtherValue other = evidence.other ? evidence.other(expr->phase->name, expr->metric) : OtherValue{};
      one.bound = other.value ? std::optional(*other.value * expr->phase->share) : std::nullopt;
      one.skipped = !other.value && other.skipped;
      if (!other.value) one.why_no_bound = fmt::format("phase {} {}", expr->phase->name, other.reason);
    }
    watched_.push_back(std::move(one));
  }
}

void AbortWatch::begin_run() {
  elapsed_ = 0;
  for (Watched& one : watched_) one.held = 0;
}

void AbortWatch::add(const Interval& row) {
  elapsed_ += row.duration;
  if (!row.full || !verdict_.empty()) return;
  for (Watched& one : watched_) {
    const auto value = row_value(row, one.expr.metric);
    const bool held = value && one.bound && holds(one.expr, *value, *one.bound);
    one.held = held ? one.held + row.duration : 0;
    one.longest = std::max(one.longest, one.held);
    if (one.held < *one.expr.sustained) continue;
    one.last = value;
    const MetricUnit unit = one.expr.metric.row->unit;
    verdict_ = fmt::format(
        "'{}' held for {}: {} was {} in the interval that ended {} after the start of the window, "
        "bound {}",
        one.expr.check, format_ns(one.held), one.expr.metric.name, format_metric(*value, unit), format_ns(elapsed_),
        format_metric(*one.bound, unit));
    return;
  }
}

std::vector<ThresholdResult> AbortWatch::results(const std::string& fault) const {
  std::vector<ThresholdResult> results;
  for (const Watched& one : watched_) {
    ThresholdResult result;
    result.check = "abort: " + one.expr.check;
    result.metric = one.expr.metric.name;
    result.observed = one.last;
    result.bound = one.bound;
    if (one.last) {
      result.outcome = Outcome::fail;
      result.reason = "the phase was ended: " + verdict_;
    } else if (!fault.empty()) {
      result.reason = fault;
    } else if (!one.bound) {
      if (one.skipped) result.outcome = Outcome::skipped;
      result.reason = "could not be watched: " + one.why_no_bound;
    } else {
      result.outcome = Outcome::pass;
      result.reason = one.longest == 0 ? "held in no interval"
                                       : fmt::format("held for {} in a row at most", format_ns(one.longest));
    }
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace diskproof
