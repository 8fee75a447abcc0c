// The table itself and the look-ups on it.
#include "metrics/names.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "support/near_name.hpp"
#include "support/units.hpp"

namespace diskproof {
namespace {

using enum MetricScope;
using enum MetricUnit;
using enum Better;

constexpr bool kRow = true;  // per_interval
constexpr bool kRun = false;
constexpr bool kNow = false;  // later
constexpr bool kLater = true;

constexpr std::array kRows{
    MetricRow{"X.operations", any, count, neither, kRow, kNow, "operations that succeeded"},
    MetricRow{"X.bytes", moved, bytes, neither, kRow, kNow, "bytes of the operations that succeeded"},
    MetricRow{"X.errors", any, count, lower, kRow, kNow, "operations that failed"},
    MetricRow{"X.iops", any, per_second, higher, kRow, kNow, "operations per second of the window"},
    MetricRow{"X.bandwidth", moved, bytes_per_second, higher, kRow, kNow, "bytes per second of the window"},
    MetricRow{"X.latency.mean", any, nanoseconds, lower, kRow, kNow, "exact mean, from submission to seen completion"},
    MetricRow{"X.latency.min", any, nanoseconds, lower, kRun, kNow, "exact minimum"},
    MetricRow{"X.latency.max", any, nanoseconds, lower, kRow, kNow, "exact maximum, raised by an older drained I/O"},
    MetricRow{"X.latency.stddev", any, nanoseconds, lower, kRun, kNow, "standard deviation, from the histogram"},
    MetricRow{"X.latency.p50", any, nanoseconds, lower, kRow, kNow, "median"},
    MetricRow{"X.latency.p90", any, nanoseconds, lower, kRun, kNow, "90 % took at most this long"},
    MetricRow{"X.latency.p95", any, nanoseconds, lower, kRun, kNow, "95 % took at most this long"},
    MetricRow{"X.latency.p99", any, nanoseconds, lower, kRow, kNow, "99 % took at most this long"},
    MetricRow{"X.latency.p99.9", any, nanoseconds, lower, kRow, kNow, "99.9 % took at most this long"},
    MetricRow{"X.latency.p99.99", any, nanoseconds, lower, kRun, kNow, "99.99 % took at most this long"},
    MetricRow{"X.latency.p99.999", any, nanoseconds, lower, kRun, kNow, "99.999 % took at most this long"},
    MetricRow{"X.latency.pNN", any, nanoseconds, lower, kRun, kNow,
              "any percentile, up to 5 decimals; measured when a threshold asks"},
    MetricRow{"X.service_latency.mean", any, nanoseconds, lower, kRun, kNow, "exact mean, from submission"},
    MetricRow{"X.service_latency.min", any, nanoseconds, lower, kRun, kNow, "exact minimum, from submission"},
    MetricRow{"X.service_latency.max", any, nanoseconds, lower, kRun, kNow, "exact maximum, from submission"},
    MetricRow{"X.service_latency.p50", any, nanoseconds, lower, kRun, kNow, "median, from submission"},
    MetricRow{"X.service_latency.p90", any, nanoseconds, lower, kRun, kNow,
              "90 % took at most this long from submission"},
    MetricRow{"X.service_latency.p95", any, nanoseconds, lower, kRun, kNow,
              "95 % took at most this long from submission"},
    MetricRow{"X.service_latency.p99", any, nanoseconds, lower, kRun, kNow,
              "99 % took at most this long from submission"},
    MetricRow{"X.service_latency.p99.9", any, nanoseconds, lower, kRun, kNow,
              "99.9 % took at most this long from submission"},
    MetricRow{"X.service_latency.p99.99", any, nanoseconds, lower, kRun, kNow,
              "99.99 % took at most this long from submission"},
    MetricRow{"X.service_latency.pNN", any, nanoseconds, lower, kRun, kNow,
              "any percentile, up to 5 decimals; measured when a threshold asks"},
    MetricRow{"X.iops.min", any, per_second, higher, kRun, kNow, "lowest IOPS of a full interval"},
    MetricRow{"X.iops.max", any, per_second, higher, kRun, kNow, "highest IOPS of a full interval"},
    MetricRow{"X.iops.cv", any, ratio, lower, kRun, kNow, "standard deviation over mean of the full intervals' IOPS"},
    MetricRow{"X.iops.p1", any, per_second, higher, kRun, kNow, "1 % of the full intervals had at most this many IOPS"},
    MetricRow{"X.iops.p5", any, per_second, higher, kRun, kNow, "5 % of the full intervals had at most this many IOPS"},
    MetricRow{"merged.X.operations", any, count, neither, kRun, kNow, "operations of all runs that count"},
    MetricRow{"merged.X.latency.mean", any, nanoseconds, lower, kRun, kNow, "exact mean over all runs that count"},
    MetricRow{"merged.X.latency.min", any, nanoseconds, lower, kRun, kNow, "exact minimum over all runs that count"},
    MetricRow{"merged.X.latency.max", any, nanoseconds, lower, kRun, kNow, "exact maximum over all runs that count"},
    MetricRow{"merged.X.latency.stddev", any, nanoseconds, lower, kRun, kNow,
              "standard deviation over all runs that count"},
    MetricRow{"merged.X.latency.p50", any, nanoseconds, lower, kRun, kNow, "median over all runs that count"},
    MetricRow{"merged.X.latency.p90", any, nanoseconds, lower, kRun, kNow,
              "90 % took at most this long, over all runs that count"},
    MetricRow{"merged.X.latency.p95", any, nanoseconds, lower, kRun, kNow,
              "95 % took at most this long, over all runs that count"},
    MetricRow{"merged.X.latency.p99", any, nanoseconds, lower, kRun, kNow,
              "99 % took at most this long, over all runs that count"},
    MetricRow{"merged.X.latency.p99.9", any, nanoseconds, lower, kRun, kNow,
              "99.9 % took at most this long, over all runs that count"},
    MetricRow{"merged.X.latency.p99.99", any, nanoseconds, lower, kRun, kNow,
              "99.99 % took at most this long, over all runs that count"},
    MetricRow{"merged.X.latency.p99.999", any, nanoseconds, lower, kRun, kNow,
              "99.999 % took at most this long, over all runs that count"},
    MetricRow{"merged.X.latency.pNN", any, nanoseconds, lower, kRun, kNow,
              "any percentile, up to 5 decimals; measured when a threshold asks"},
    MetricRow{"total.stall.max", whole, nanoseconds, lower, kRun, kNow,
              "longest time with I/O in flight and nothing completed"},
    MetricRow{"queue_depth.mean", whole, depth, neither, kRun, kNow, "time integral of I/Os in flight over the window"},
    MetricRow{"drain.operations", whole, count, neither, kRun, kNow, "I/Os in flight when the window ended"},
    MetricRow{"drain.latency.max", whole, nanoseconds, lower, kRun, kNow, "the oldest of them"},
    MetricRow{"cpu.user", whole, ratio, lower, kRun, kNow,
              "user time of the workers over the window; 100 % is one CPU"},
    MetricRow{"cpu.system", whole, ratio, lower, kRun, kNow,
              "system time of the workers over the window; 100 % is one CPU"},
    MetricRow{"cpu.per_io", whole, nanoseconds, lower, kRun, kNow, "user and system time of the workers per operation"},
    MetricRow{"rate.achieved", whole, ratio, higher, kRun, kNow, "operations started in the window over those planned"},
    MetricRow{"rate.unissued", whole, count, lower, kRun, kNow,
              "operations due in the window that could not start in it"},
    MetricRow{"runner.overhead", whole, ratio, lower, kRun, kNow,
              "share of the workers' rounds that the runner itself took; one round in 64 is looked at"},
    MetricRow{"runner.lateness.mean", whole, nanoseconds, lower, kRun, kNow,
              "exact mean of how late the runner itself started operations"},
    MetricRow{"runner.lateness.p50", whole, nanoseconds, lower, kRun, kNow, "median of it"},
    MetricRow{"runner.lateness.p99", whole, nanoseconds, lower, kRun, kNow,
              "99 % of the starts were at most this late"},
    MetricRow{"runner.lateness.max", whole, nanoseconds, lower, kRun, kNow, "exact maximum of it"},
    MetricRow{"device.*", family, count, neither, kRun, kLater, "what the block device counted"},
    MetricRow{"cache.hit_ratio", family, ratio, neither, kRun, kLater, "share of the bytes that no device moved"},
    MetricRow{"network.read.bytes", whole, bytes, neither, kRun, kNow,
              "bytes that the client of a network file system read from the server"},
    MetricRow{"network.write.bytes", whole, bytes, neither, kRun, kNow, "bytes that it wrote to the server"},
    MetricRow{"network.rpc.calls", whole, count, neither, kRun, kNow, "requests that it sent"},
    MetricRow{"network.rpc.retransmits", whole, count, lower, kRun, kNow, "requests that it sent again"},
    MetricRow{"network.rpc.timeouts", whole, count, lower, kRun, kNow, "requests whose answer came too late or never"},
    MetricRow{"network.rpc.rtt.mean", whole, nanoseconds, lower, kRun, kNow, "mean time from a request to its answer"},
    MetricRow{"network.rpc.read.rtt.mean", whole, nanoseconds, lower, kRun, kNow, "the same of reads"},
    MetricRow{"network.rpc.write.rtt.mean", whole, nanoseconds, lower, kRun, kNow, "the same of writes"},
    MetricRow{"steady_state.*", family, ratio, neither, kRun, kLater, "window, range and slope of the steady state"},
    MetricRow{"search.*", family, count, neither, kRun, kLater, "the knee and the steps of a search"},
    MetricRow{"verify.bytes", whole, bytes, neither, kRun, kNow,
              "bytes that were read back and are as they were written"},
    MetricRow{"verify.expected", whole, bytes, neither, kRun, kNow,
              "distinct bytes that were acknowledged as written, and are to be read back"},
    MetricRow{"verify.operations", whole, count, neither, kRun, kNow, "reads that were made for it"},
    MetricRow{"verify.missing", whole, bytes, lower, kRun, kNow, "bytes where nothing of ours was found"},
    MetricRow{"verify.stale", whole, bytes, lower, kRun, kNow, "bytes that hold an older write"},
    MetricRow{"verify.torn", whole, bytes, lower, kRun, kNow,
              "bytes that hold a part of a write, and of what was before"},
    MetricRow{"verify.misplaced", whole, bytes, lower, kRun, kNow, "bytes that hold what was written to another place"},
    MetricRow{"verify.corrupt", whole, bytes, lower, kRun, kNow, "bytes of ours with a bad checksum"},
    MetricRow{"verify.lost", whole, bytes, lower, kRun, kNow,
              "bytes that are missing or stale, although a flush was acknowledged after them"},
    MetricRow{"verify.unreadable", whole, bytes, lower, kRun, kNow, "bytes whose read failed"},
};

constexpr std::array<std::string_view, 5> kPrefixes{"read", "write", "trim", "sync", "total"};
constexpr std::string_view kAnyPercentile = "pNN";
constexpr std::array<std::string_view, 2> kWithPercentiles{".latency.", ".service_latency."};
constexpr std::string_view kMerged = "merged.";

bool has_prefix(const MetricRow& row, std::string_view prefix) {
  return row.scope == any || (row.scope == moved && prefix != "sync");
}

const MetricRow* row_of(std::string_view pattern) {
  const auto found = std::ranges::find(kRows, pattern, &MetricRow::pattern);
  return found == kRows.end() ? nullptr : &*found;
}

// "device.*" covers "device.read.bytes"; a family without a star is one name.
bool in_family(std::string_view family_pattern, std::string_view name) {
  if (!family_pattern.ends_with('*')) return family_pattern == name;
  const std::string_view stem = family_pattern.substr(0, family_pattern.size() - 1);
  return name.size() > stem.size() && name.starts_with(stem);
}

std::vector<std::string> expanded_names() {
  std::vector<std::string> names;
  for (const std::string_view prefix : kPrefixes) {
    for (const MetricRow& row : kRows) {
      if (!has_prefix(row, prefix) || row.pattern.ends_with(kAnyPercentile)) continue;
      std::string& name = names.emplace_back(row.pattern);
      name.replace(name.find('X'), 1, prefix);
    }
  }
  for (const MetricRow& row : kRows) {
    if (row.scope == whole) names.emplace_back(row.pattern);
  }
  return names;
}

// `lead` + `prefix` + `rest` is the name, `lead` empty or "merged.".
std::optional<MetricInfo> find_with_prefix(std::string_view lead, std::string_view prefix, std::string_view rest) {
  const std::string subject = fmt::format("{}X", lead);
  const std::string pattern = subject + std::string(rest);
  for (const std::string_view stem : kWithPercentiles) {
    if (!rest.starts_with(stem) || !rest.substr(stem.size()).starts_with('p')) continue;
    const auto percent = parse_percentile(rest.substr(stem.size()));
    if (!percent) return std::nullopt;
    const std::string name = std::string(stem) + percentile_label(*percent);
    const MetricRow* row = row_of(subject + name);
    if (row == nullptr) row = row_of(fmt::format("{}{}{}", subject, stem, kAnyPercentile));
    if (row == nullptr) return std::nullopt;
    return MetricInfo{fmt::format("{}{}{}", lead, prefix, name), row, std::string(prefix), percent};
  }
  for (const MetricRow& row : kRows) {
    const bool known = (has_prefix(row, prefix) && row.pattern == pattern) ||
                       (row.scope == family && row.pattern.starts_with("X.") && in_family(row.pattern, pattern));
    if (known) return MetricInfo{fmt::format("{}{}{}", lead, prefix, rest), &row, std::string(prefix), {}};
  }
  return std::nullopt;
}

}  // namespace

std::span<const MetricRow> metric_rows() { return kRows; }

const std::vector<std::string>& metric_names() {
  static const std::vector<std::string> names = expanded_names();
  return names;
}

std::optional<MetricInfo> find_metric(std::string_view name) {
  const std::string_view lead = name.starts_with(kMerged) ? kMerged : std::string_view();
  const std::string_view subject = name.substr(lead.size());
  for (const std::string_view prefix : kPrefixes) {
    if (!subject.starts_with(prefix) || subject.substr(prefix.size(), 1) != ".") continue;
    if (auto info = find_with_prefix(lead, prefix, subject.substr(prefix.size()))) return info;
  }
  for (const MetricRow& row : kRows) {
    const bool known =
        (row.scope == whole && row.pattern == name) || (row.scope == family && in_family(row.pattern, name));
    if (!known) continue;
    return MetricInfo{std::string(name), &row, name.starts_with("total.") ? "total" : "", {}};
  }
  return std::nullopt;
}

bool is_merged(const MetricInfo& metric) { return metric.row->pattern.starts_with(kMerged); }

std::string nearest_metric(std::string_view name) { return nearest_name(name, metric_names()); }

std::optional<std::uint64_t> parse_percentile(std::string_view label) {
  constexpr std::size_t kDecimals = 5;
  if (!label.starts_with('p')) return std::nullopt;
  label.remove_prefix(1);
  const std::size_t point = std::min(label.find('.'), label.size());
  const std::string_view integer = label.substr(0, point);
  const std::string_view decimals = label.substr(std::min(point + 1, label.size()));
  const auto digits = [](std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  };
  if (integer.empty() || integer.size() > 3 || !digits(integer) || !digits(decimals)) return std::nullopt;
  if (integer.size() > 1 && integer.front() == '0') return std::nullopt;
  if (point < label.size() && (decimals.empty() || decimals.size() > kDecimals)) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : integer) value = value * 10 + static_cast<std::uint64_t>(c - '0');
  std::uint64_t step = kMillionths;
  value *= kMillionths;
  for (const char c : decimals) value += static_cast<std::uint64_t>(c - '0') * (step /= 10);
  if (value == 0 || value > 100 * kMillionths) return std::nullopt;
  return value;
}

std::string percentile_label(std::uint64_t percent_millionths) {
  std::string text = fmt::format("p{}.{:06}", percent_millionths / kMillionths, percent_millionths % kMillionths);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string format_metric(double value, MetricUnit unit) {
  const auto whole_number = [value] {  // values of a metric are never negative
    constexpr double kTop = 9.2e18;
    return std::isfinite(value) && value >= 0 ? static_cast<std::int64_t>(std::round(std::min(value, kTop))) : 0;
  };
  switch (unit) {
    case MetricUnit::count:
      return format_count(value);
    case MetricUnit::bytes:
      return format_bytes(static_cast<std::uint64_t>(whole_number()));
    case MetricUnit::bytes_per_second:
      return format_bandwidth(value);
    case MetricUnit::per_second:
      return format_count(value) + "/s";
    case MetricUnit::nanoseconds:
      return format_duration(Nanoseconds(whole_number()));
    case MetricUnit::ratio:
      return fmt::format("{:.4g} %", value * 100);
    case MetricUnit::depth:
      return fmt::format("{:.4g}", value);
  }
  return {};
}

std::string_view to_string(MetricUnit unit) {
  switch (unit) {
    case MetricUnit::count:
      return "count";
    case MetricUnit::bytes:
      return "bytes";
    case MetricUnit::bytes_per_second:
      return "bytes/s";
    case MetricUnit::per_second:
      return "1/s";
    case MetricUnit::nanoseconds:
      return "ns";
    case MetricUnit::ratio:
      return "ratio";
    case MetricUnit::depth:
      return "I/Os";
  }
  return {};
}

}  // namespace diskproof
