// The table, and one function per finding that numbers alone can tell.
#include "verdict/findings.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <stdexcept>
#include <utility>

#include "metrics/books.hpp"
#include "metrics/names.hpp"
#include "support/units.hpp"
#include "verdict/limits.hpp"

namespace diskproof {
namespace {

constexpr FindingLevel kInvalid = FindingLevel::error;
constexpr FindingLevel kWarn = FindingLevel::warn;
constexpr bool kNow = false;  // later
constexpr bool kLater = true;

constexpr std::array kRows{
    FindingRow{"books_do_not_balance", kInvalid, kNow,
               "the run measured itself wrongly: repeat it, and report the job and the result as a defect"},
    FindingRow{"clock_drift", kInvalid, kNow,
               "times are not to be trusted: see that the machine did not sleep or move, and that the kernel's clock "
               "source is right"},
    FindingRow{"on_tmpfs", kInvalid, kNow, "move the target to a file system on the disk that is to be measured"},
    FindingRow{"not_direct", kInvalid, kLater,
               "the page cache answered: measure a file system that supports direct I/O, or more data than memory"},
    FindingRow{"hollow_read", kInvalid, kLater, "the device was not read: let layout write the data first"},
    FindingRow{"over_limit", kWarn, kNow, "what is above the limit is not guaranteed: plan with the limit"},
    FindingRow{"capped", kWarn, kNow, "choose a larger instance or link, or a smaller disk"},
    FindingRow{"depth_not_reached", kWarn, kNow,
               "the engine or the host did not keep the queue full: fewer threads, larger batch, or another engine"},
    FindingRow{"runner_limited", kWarn, kNow,
               "the runner itself took part of the time: add threads or CPUs, or lower the rate"},
    FindingRow{"verify_limited", kWarn, kNow,
               "the CPU, not the disk, set the speed: judge speed in a phase without verify, or add threads"},
    FindingRow{"batch_bound_latency", kWarn, kNow, "latency follows the batch: set batch: 1 where latency is judged"},
    FindingRow{"long_drain", kWarn, kNow,
               "some I/O waited far longer than the percentiles show: look for a scheduler or a queue that starves"},
    FindingRow{"client_cache", kWarn, kNow,
               "the client's cache may have answered: use direct I/O or more data than memory"},
    FindingRow{"mount_options", kWarn, kNow, "check the mount options named: they change what is measured"},
    FindingRow{"throttled_by_us", kWarn, kNow,
               "this is a rehearsal, not the disk's own speed; its latency is that of the throttle's 100 ms slices"},
    FindingRow{"nothing_gated", kWarn, kNow, "add thresholds: without them every run passes"},
    FindingRow{"burst_exhausted", kWarn, kLater, "credits ran out during the run: measure longer than the burst"},
    FindingRow{"plateau_at_bandwidth", kWarn, kLater, "a bandwidth limit held the IOPS: use a smaller block size"},
    FindingRow{"foreign_io", kWarn, kLater, "somebody else used the disk: measure it alone"},
    FindingRow{"cpu_steal", kWarn, kLater, "the hypervisor took CPU time: measure on a quiet host"},
    FindingRow{"frequency_change", kWarn, kLater, "the CPU changed its frequency: fix the governor"},
    FindingRow{"working_set_in_memory", kWarn, kLater, "the data fits into memory: use more of it"},
    FindingRow{"write_cache_effect", kWarn, kLater, "a write cache took the first part: warm up longer"},
    FindingRow{"link_degraded", kWarn, kLater, "the link runs below its width or speed: check slot and cable"},
    FindingRow{"device_unknown", kWarn, kLater, "device counters could not be attributed: measure on a plain device"},
};

constexpr double kClockTolerance = 1000;  // ppm: a tenth of a percent, below what the histograms tell apart

std::string duration(double ns) { return format_metric(ns, MetricUnit::nanoseconds); }

}  // namespace

std::span<const FindingRow> finding_rows() { return kRows; }

const FindingRow* find_finding(std::string_view name) {
  const auto found = std::ranges::find(kRows, name, &FindingRow::name);
  return found == kRows.end() ? nullptr : &*found;
}

Severity severity_of(std::string_view name, const FindingOverrides& overrides) {
  const FindingRow* row = find_finding(name);
  if (row == nullptr) throw std::logic_error("no finding is named " + std::string(name));
  if (const auto found = overrides.find(std::string(name)); found != overrides.end()) return found->second;
  return row->level == FindingLevel::error ? Severity::error : Severity::warn;
}

std::optional<Finding> make_finding(std::string_view name, std::string text, const FindingOverrides& overrides) {
  const Severity severity = severity_of(name, overrides);
  if (severity == Severity::ignore) return std::nullopt;
  const FindingLevel level = severity == Severity::error ? FindingLevel::error : FindingLevel::warn;
  return Finding{std::string(name), level, std::move(text), std::string(find_finding(name)->advice)};
}

std::optional<std::string> books_do_not_balance(const RunData& data, const PhaseMetrics& metrics) {
  const auto fault = check_books(data, metrics);
  if (!fault) return std::nullopt;
  return fmt::format("the books do not balance ({}): {}", fault->rule, fault->text);
}

std::optional<std::string> clock_drift(const RunData& data) {
  if (!data.clock) return std::nullopt;
  const auto off = [](const std::optional<double>& drift) { return drift && !(std::abs(*drift) <= kClockTolerance); };
  for (const auto& [drift, when] : {std::pair{data.clock->drift, "while the phase ran"},
                                    std::pair{data.clock->drift_before, "before the phase started"}}) {
    if (!off(drift)) continue;
    return fmt::format(
        "the CPU's cycle counter, taken as {} per second, went {:+.0f} ppm from the system's clock {}; "
        "{:.0f} are tolerated",
        data.clock->ticks_per_second, *drift, when, kClockTolerance);
  }
  return std::nullopt;
}

std::optional<std::string> depth_not_reached(const PhaseMetrics& metrics, std::uint64_t planned_depth) {
  constexpr double kShare = 0.9;
  const auto mean = metrics.find("queue_depth.mean");
  const double planned = static_cast<double>(planned_depth);
  if (!mean || *mean >= kShare * planned) return std::nullopt;
  return fmt::format("the mean queue depth was {:.4g}, {:.3g} % of the {} planned", *mean, 100 * *mean / planned,
                     planned_depth);
}

std::optional<std::string> verify_limited(const RunData& data) {
  if (!data.verify || !data.verify->cpu_limited()) return std::nullopt;
  return fmt::format("making and checking stamps took {:.3g} % of the workers' time",
                     100 * static_cast<double>(data.verify->busy) / static_cast<double>(data.verify->wall));
}

std::optional<std::string> runner_limited(const PhaseMetrics& metrics) {
  constexpr double kShare = 0.1;
  const auto overhead = metrics.find("runner.overhead");
  if (overhead && *overhead > kShare) {
    return fmt::format("the runner itself took {:.3g} % of the workers' time, more than 10 %", 100 * *overhead);
  }
  const auto lateness = metrics.find("runner.lateness.p99");
  const auto usual = metrics.find("total.latency.p50");
  if (!lateness || !usual || *lateness <= kShare * *usual) return std::nullopt;
  return fmt::format(
      "the runner started operations up to {} late (lateness p99), more than 10 % of the latency p50 of {}",
      duration(*lateness), duration(*usual));
}

std::optional<std::string> batch_bound_latency(const RunData& data) {
  constexpr std::uint64_t kLeast = 10;
  if (!data.looks || data.looks->batches < kLeast) return std::nullopt;
  const auto [own, whole, batches, seen_whole] = *data.looks;
  if (2 * seen_whole <= batches) return std::nullopt;
  return fmt::format(
      "{:.3g} % of the batches were complete as a whole when their first I/O was seen ({} of {} looked at): the "
      "latency "
      "is that of a batch, not of an I/O",
      100.0 * static_cast<double>(seen_whole) / static_cast<double>(batches), seen_whole, batches);
}

std::optional<std::string> long_drain(const RunData& data, const PhaseMetrics& metrics) {
  constexpr double kTimes = 10;
  constexpr double kLeast = 100e6;  // ns
  constexpr double kAlone = 1e9;    // ns
  if (data.drain.operations == 0) return std::nullopt;
  const double oldest = static_cast<double>(data.drain.latency_max);
  const auto usual = metrics.find("total.latency.p99.9");
  if (usual ? oldest <= std::max(kTimes * *usual, kLeast) : oldest <= kAlone) return std::nullopt;
  std::string text = fmt::format("the oldest of {} I/Os in flight at the end of the window took {}",
                                 data.drain.operations, duration(oldest));
  if (usual) text += fmt::format(", {:.3g} times the p99.9 of {}", oldest / *usual, duration(*usual));
  return text;
}

std::optional<std::string> on_tmpfs(std::string_view filesystem, std::string_view path) {
  if (filesystem != "tmpfs" && filesystem != "ramfs") return std::nullopt;
  return fmt::format("{} is on {}, which is memory, not a disk", path, filesystem);
}

std::optional<std::string> throttled_by_us(std::string_view disk, const LimitGroup& throttle) {
  std::string limits;
  for (const auto& [name, value] : throttle.values) {
    const auto metric = find_metric(name);
    if (!metric) continue;
    limits += fmt::format("{}{} {}", limits.empty() ? "" : ", ", name, format_metric(value, metric->row->unit));
  }
  if (limits.empty()) return std::nullopt;
  return fmt::format("the job's throttle held the disk {} to {}", disk, limits);
}

std::optional<std::string> over_limit(const PhaseMetrics& metrics, std::span<const LimitGroup> limits) {
  constexpr double kMargin = 1.05;
  const LoadShape shape = measured_shape(metrics);
  for (const char* name : {"read.iops", "write.iops", "trim.iops", "total.iops", "read.bandwidth", "write.bandwidth",
                           "trim.bandwidth", "total.bandwidth"}) {
    const auto observed = metrics.find(name);
    const auto metric = find_metric(name);
    if (!observed || !metric) continue;
    const auto held = tightest_limit(limits, *metric, shape);
    if (!held || *observed <= kMargin * held->value) continue;
    return fmt::format("{} was {}, {:.3g} % of the {}", name, format_metric(*observed, metric->row->unit),
                       100 * *observed / held->value, describe(*held, metric->row->unit));
  }
  return std::nullopt;
}

std::optional<std::string> capped(std::string_view metric, const PhaseMetrics& metrics,
                                  std::span<const LimitGroup> limits) {
  const auto info = find_metric(metric);
  if (!info) return std::nullopt;
  const LoadShape shape = measured_shape(metrics);
  const auto held = tightest_limit(limits, *info, shape);
  if (!held) return std::nullopt;
  const auto name_of = [](const std::string& group) { return group.empty() ? std::string("disk") : group; };
  for (const LimitGroup& group : limits) {
    const auto own = tightest_limit(limits, *info, shape, group.name);
    if (!own || own->group == held->group || own->value <= held->value) continue;
    return fmt::format("{}: {} limit {} unreachable, {} {}", info->name, name_of(own->group),
                       format_metric(own->value, info->row->unit), name_of(held->group),
                       format_metric(held->value, info->row->unit));
  }
  return std::nullopt;
}

}  // namespace diskproof
