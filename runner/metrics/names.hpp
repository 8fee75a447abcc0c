// The one table of metric names: unit, direction of "better", meaning. Threshold check, schema, docs/metrics.md and
// reports all read it; a name that is not here does not exist.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace diskproof {

enum class MetricUnit { count, bytes, bytes_per_second, per_second, nanoseconds, ratio, depth };
enum class Better { higher, lower, neither };

// Which names a row stands for.
enum class MetricScope {
  any,    // X.suffix or merged.X.suffix, X one of read, write, trim, sync, total
  moved,  // X.suffix without sync, which moves no bytes
  whole,  // the pattern is the name
  family  // later names: "device.*" is every name that starts with "device."
};

struct MetricRow {
  std::string_view pattern;  // "X.iops", "cpu.user", "device.*"; ".pNN" is every other percentile
  MetricScope scope;
  MetricUnit unit;
  Better better;
  bool per_interval;  // every row of the interval series has it
  bool later;         // listed by the design, not measured by this version
  std::string_view meaning;
};

struct MetricInfo {
  std::string name;                         // canonical: "read.latency.p99.9"
  const MetricRow* row = nullptr;           // never null
  std::string direction;                    // "read"… "total"; empty for names without one
  std::optional<std::uint64_t> percentile;  // of .pNN, in millionths of a percent
};

inline constexpr std::uint64_t kMillionths = 1'000'000;  // of a percent

std::span<const MetricRow> metric_rows();

// Every name this version can measure except further percentiles, in the order of reports and result.json.
const std::vector<std::string>& metric_names();

// A known name, also one of a later version (row->later).
std::optional<MetricInfo> find_metric(std::string_view name);

// Of all runs of a phase together: "merged.read.latency.p99".
bool is_merged(const MetricInfo& metric);

// "Did you mean": the known name nearest to a wrong one, or empty.
std::string nearest_metric(std::string_view name);

// "p99.9" is 99'900'000 millionths: above 0 up to 100, at most 5 decimals.
std::optional<std::uint64_t> parse_percentile(std::string_view label);
std::string percentile_label(std::uint64_t percent_millionths);

// "5,800/s", "512 MB/s", "85.3 us", "12.5 %": a value in the unit of its metric, for people.
std::string format_metric(double value, MetricUnit unit);

std::string_view to_string(MetricUnit unit);

}  // namespace diskproof
