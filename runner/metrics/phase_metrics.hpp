// The named values that thresholds, reports and schema may use, computed from RunData. A metric that was not measured
// is absent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace diskproof {

struct RunData;
struct Interval;
struct IntervalDirection;

// Metric name to value in the metric's base unit, in the order of metrics/names. Values are finite.
class PhaseMetrics {
 public:
  void set(std::string name, double value);  // ignores values that are not finite
  [[nodiscard]] std::optional<double> find(std::string_view name) const;
  [[nodiscard]] const std::vector<std::pair<std::string, double>>& all() const noexcept { return values_; }

 private:
  std::vector<std::pair<std::string, double>> values_;
};

struct MetricsContext {
  std::uint64_t planned_depth = 0;             // queue depth x threads
  std::vector<std::string> extra_percentiles;  // "p99.95": asked for by a threshold beyond the standard list
};

// One interval's read, write and trim together.
IntervalDirection interval_total(const Interval& interval);

PhaseMetrics compute_metrics(const RunData& data, const MetricsContext& context);

}  // namespace diskproof
