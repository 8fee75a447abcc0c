// The language of `thresholds:`, compiled once at load time and checked against the metric table.
//
//   threshold := metric ( op value | "within" percent "of" value ) [ "for" percent "of" "intervals" ]
//                [ "with" ( "fail" | "warn" ) ]
//   op        := ">=" | ">" | "<=" | "<" | "=="
//   value     := number | [ percent "of" ] ( "limit" [ "." group ] | "phase" name )
//   number    := digits [ "." digits ] [ unit ]          the unit that the metric has: "6000" or "6000/s" for IOPS,
//                                                        "500MB/s", "5ms", "4KiB", "5%"; none for counts
//   percent   := digits [ "." digits ] "%"
//
// Words are separated by spaces; none are needed around op. A phase's name reaches to `for`, `with` or the end. Known
// to the language but not to this version: `baseline`, `baseline - noise`, `of peers`.
//
// `abort:` has conditions of the same kind, which end a phase while it runs:
//
//   abort     := metric op value "for" duration
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "job/job.hpp"
#include "metrics/names.hpp"

namespace diskproof {

enum class Comparison { at_least, above, at_most, below, equal, within };

struct LimitReference {
  double share = 1;                  // 0.95 of `95% of limit`
  std::optional<std::string> group;  // `limit.instance`; absent: the tightest of all groups
};

struct PhaseReference {
  double share = 1;  // 0.9 of `90% of phase warm`
  std::string name;
};

struct ThresholdExpr {
  std::string check;  // the text as the job says it
  MetricInfo metric;
  Comparison comparison = Comparison::at_least;
  double number = 0;                       // the bound in the metric's unit, unless limit or phase is set
  std::optional<LimitReference> limit;     // the bound is a share of a limit
  std::optional<PhaseReference> phase;     // the bound is a share of what an earlier phase reached
  double tolerance = 0;                    // of `within`: 0.05 of `within 5% of`
  std::optional<double> interval_percent;  // `for N% of intervals`
  std::optional<std::uint64_t> sustained;  // of an abort, `for DURATION`: ns
  std::optional<bool> warn;                // `with warn`, `with fail`; absent: the text does not say
};

struct ThresholdError {
  std::string text;
  std::string hint;        // what to write instead; may be empty
  std::size_t offset = 0;  // of the offending word in the text, bytes
};

using CompiledThreshold = std::variant<ThresholdExpr, ThresholdError>;

CompiledThreshold compile_threshold(std::string_view text);

// A condition of `abort:`.
CompiledThreshold compile_abort(std::string_view text);

// Likewise; the map's severity holds where the text has no `with`.
CompiledThreshold compile_threshold(const Threshold& threshold);

// The label that MetricsContext::extra_percentiles needs so that this threshold's metric is measured: "p99.95".
std::optional<std::string> extra_percentile(const ThresholdExpr& expr);

// The bound for PhasePlan::latency_bounds: of a latency threshold over intervals with a fixed number, ns.
std::optional<std::uint64_t> interval_latency_bound(const ThresholdExpr& expr);

}  // namespace diskproof
