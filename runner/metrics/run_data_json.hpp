// RunData and PhaseMetrics as JSON and back, without loss: the phase's child sends them to the parent, result.json
// embeds them. Reading is safe on hostile input: whatever is malformed, out of range or too much throws Error{failed}
// naming the field. What is merely untrue (sums that do not fit) is read as it is: metrics/books judges that.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "metrics/phase_metrics.hpp"
#include "metrics/run_data.hpp"

namespace diskproof {

// Interval rows as columns: {"index": […], "duration": […], "full": […], "read": {"operations": […], …}}. A direction
// in which no row has anything is absent.
nlohmann::ordered_json intervals_to_json(std::span<const Interval> rows);
std::vector<Interval> intervals_from_json(const nlohmann::ordered_json& json);

// {"slots": [[slot, count], …], "sum": ns, "min": ns, "max": ns}; only slots in use.
nlohmann::ordered_json histogram_to_json(const Histogram& histogram);
void histogram_from_json(const nlohmann::ordered_json& json, Histogram& histogram);

nlohmann::ordered_json run_data_to_json(const RunData& data);
RunData run_data_from_json(const nlohmann::ordered_json& json);

// {"read.operations": 1000, …} in table order; whole numbers are written as integers.
nlohmann::ordered_json metrics_to_json(const PhaseMetrics& metrics);
PhaseMetrics metrics_from_json(const nlohmann::ordered_json& json);

}  // namespace diskproof
