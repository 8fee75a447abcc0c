// What is wrong or remarkable about a run beyond its thresholds: the closed list of findings with their default levels
// and one line of advice each, and the pure functions that recognise them from the numbers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "job/job.hpp"
#include "metrics/phase_metrics.hpp"
#include "metrics/run_data.hpp"
#include "verdict/verdict.hpp"

namespace diskproof {

struct FindingRow {
  std::string_view name;
  FindingLevel level;  // unless the job's `findings:` says otherwise
  bool later;          // known to the language, not looked for by this version
  std::string_view advice;
};

std::span<const FindingRow> finding_rows();
const FindingRow* find_finding(std::string_view name);  // null: no such finding

using FindingOverrides = std::map<std::string, Severity>;

// What a finding does after the overrides. `name` is one of the list.
Severity severity_of(std::string_view name, const FindingOverrides& overrides);

// A finding at its level after the job's overrides; absent when the job ignores it. `name` is one of the list.
std::optional<Finding> make_finding(std::string_view name, std::string text, const FindingOverrides& overrides);

// Each gives the text with its numbers, or nothing when all is well.

// Little's law, bandwidth = IOPS x block, sums: see metrics/books.
std::optional<std::string> books_do_not_balance(const RunData& data, const PhaseMetrics& metrics);

// The ticks that times were measured in went more than 1000 ppm from the system's clock.
std::optional<std::string> clock_drift(const RunData& data);

// Mean depth below 90 % of what was planned (queue depth x threads). For closed loops: a rate leaves queues empty.
std::optional<std::string> depth_not_reached(const PhaseMetrics& metrics, std::uint64_t planned_depth);

// The runner itself took more than 10 % of the workers' time, or started operations so late that latency shows it:
// lateness p99 above 10 % of latency p50 (open loops).
std::optional<std::string> runner_limited(const PhaseMetrics& metrics);

// Making and checking stamps took most of the workers' time.
std::optional<std::string> verify_limited(const RunData& data);

// In more than half of the batches looked at, of at least ten, every I/O was complete when the first was seen: their
// latency is the batch's.
std::optional<std::string> batch_bound_latency(const RunData& data);

// The oldest I/O in flight at the end of the window took more than 10 x the p99.9 of the run and more than 100 ms;
// more than 1 s where no operation completed to compare with.
std::optional<std::string> long_drain(const RunData& data, const PhaseMetrics& metrics);

// The file system under the target lives in memory.
std::optional<std::string> on_tmpfs(std::string_view filesystem, std::string_view path);

// The disk was held to these limits by the job's own throttle; nothing where there are none.
std::optional<std::string> throttled_by_us(std::string_view disk, const LimitGroup& throttle);

// IOPS or bandwidth of a direction or of total more than 5 % above the tightest limit.
std::optional<std::string> over_limit(const PhaseMetrics& metrics, std::span<const LimitGroup> limits);

// A group of limits could not be reached because another one is tighter, for a metric such as "write.iops".
std::optional<std::string> capped(std::string_view metric, const PhaseMetrics& metrics,
                                  std::span<const LimitGroup> limits);

}  // namespace diskproof
