// The value of one row, by name, and the count over all rows.
#include "verdict/interval_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "metrics/phase_metrics.hpp"

namespace diskproof {
namespace {

IntervalDirection direction_of(const Interval& row, std::string_view name) {
  if (name == "read") return row.directions[static_cast<std::size_t>(Direction::read)];
  if (name == "write") return row.directions[static_cast<std::size_t>(Direction::write)];
  if (name == "trim") return row.directions[static_cast<std::size_t>(Direction::trim)];
  if (name == "sync") return row.directions[static_cast<std::size_t>(Direction::sync)];
  return interval_total(row);
}

// Smaller is better for the comparison, whatever it is.
double distance(const ThresholdExpr& expr, double value, double bound) {
  switch (expr.comparison) {
    case Comparison::at_least:
    case Comparison::above:
      return -value;
    case Comparison::at_most:
    case Comparison::below:
      return value;
    case Comparison::equal:
    case Comparison::within:
      return std::abs(value - bound);
  }
  return value;
}

}  // namespace

std::optional<double> row_value(const Interval& row, const MetricInfo& metric) {
  const IntervalDirection part = direction_of(row, metric.direction);
  const double seconds = static_cast<double>(row.duration) / 1e9;
  const double operations = static_cast<double>(part.operations);
  const auto percentile = [](const std::optional<std::uint64_t>& value) -> std::optional<double> {
    if (!value) return std::nullopt;
    return static_cast<double>(*value);
  };
  const std::string_view name = metric.row->pattern.substr(2);  // behind "X."
  if (name == "operations") return operations;
  if (name == "bytes") return static_cast<double>(part.bytes);
  if (name == "errors") return static_cast<double>(part.errors);
  if (name == "iops") return operations / seconds;
  if (name == "bandwidth") return static_cast<double>(part.bytes) / seconds;
  if (part.operations == 0) return std::nullopt;
  if (name == "latency.mean") return static_cast<double>(part.latency_sum) / operations;
  if (name == "latency.max") return static_cast<double>(part.latency_max);
  if (name == "latency.p50") return percentile(part.p50);
  if (name == "latency.p99") return percentile(part.p99);
  if (name == "latency.p99.9") return percentile(part.p999);
  return std::nullopt;
}

bool holds(const ThresholdExpr& expr, double observed, double bound) {
  switch (expr.comparison) {
    case Comparison::at_least:
      return observed >= bound;
    case Comparison::above:
      return observed > bound;
    case Comparison::at_most:
      return observed <= bound;
    case Comparison::below:
      return observed < bound;
    case Comparison::equal:
      return observed == bound;
    case Comparison::within:
      return std::abs(observed - bound) <= expr.tolerance * bound;
  }
  return false;
}

IntervalCheck check_intervals(const ThresholdExpr& expr, double bound, const RunData& run) {
  IntervalCheck check;
  std::vector<double> values;
  for (const Interval& row : run.intervals) {
    if (!row.full || row.duration == 0) continue;
    ++check.full;
    const auto value = row_value(row, expr.metric);
    if (!value) {
      ++check.empty;
      continue;
    }
    values.push_back(*value);
    if (holds(expr, *value, bound)) ++check.held;
  }
  if (check.full == 0) return check;
  // In hundredths of a thousandth of a percent, so that 99 % of 100 intervals is 99 and not 99.00000000000001.
  const auto millionths = static_cast<std::uint64_t>(std::llround(*expr.interval_percent * double(kMillionths)));
  check.needed = static_cast<std::size_t>(percentile_rank(check.full, millionths));
  if (check.needed > values.size()) return check;
  const auto decisive = values.begin() + static_cast<std::ptrdiff_t>(check.needed) - 1;
  std::ranges::nth_element(values, decisive, {}, [&](double value) { return distance(expr, value, bound); });
  check.decisive = *decisive;
  return check;
}

}  // namespace diskproof
