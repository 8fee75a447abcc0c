// A threshold over the interval series: which value do N % of the full intervals reach?
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "metrics/run_data.hpp"
#include "verdict/threshold_expr.hpp"

namespace diskproof {

// Does the observed value satisfy the comparison? NaN satisfies nothing.
bool holds(const ThresholdExpr& expr, double observed, double bound);

// The metric in one interval; absent where nothing of it completed.
std::optional<double> row_value(const Interval& row, const MetricInfo& metric);

struct IntervalCheck {
  std::size_t full = 0;    // full intervals of the window
  std::size_t held = 0;    // of them, those that satisfy the comparison
  std::size_t empty = 0;   // of them, those without the value: nothing completed; they satisfy nothing
  std::size_t needed = 0;  // how many have to
  // The value that exactly the needed share reaches, so that it relates to the bound as held does to needed; absent
  // when too many intervals are empty.
  std::optional<double> decisive;
};

// `bound` in the metric's unit. Precondition: expr.interval_percent is set.
IntervalCheck check_intervals(const ThresholdExpr& expr, double bound, const RunData& run);

}  // namespace diskproof
