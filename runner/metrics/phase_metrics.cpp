// From counts to names. A direction that issued nothing has no metrics at all; latency needs an operation that
// succeeded, spread needs two full intervals, service latency and lateness a rate.
#include "metrics/phase_metrics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <set>
#include <string>

#include "metrics/names.hpp"
#include "metrics/run_data.hpp"

namespace diskproof {
namespace {

constexpr double kNsPerSecond = 1e9;
constexpr std::size_t kSync = static_cast<std::size_t>(Direction::sync);

double seconds(std::uint64_t ns) { return static_cast<double>(ns) / kNsPerSecond; }
double number(std::uint64_t value) { return static_cast<double>(value); }

// Everything that the metrics of one direction, or of all together, are made of.
struct Part {
  std::string_view name;
  const DirectionTotals* totals = nullptr;
  std::uint64_t drained_max = 0;       // ns, of drained I/O
  std::vector<double> iops;            // of the full intervals
  const Histogram* service = nullptr;  // of an open loop
  IntervalDirection rows{};            // sum of the rows, where they are all there is
};

// Percentiles in ascending order, in millionths of a percent: the standard list and what thresholds asked for.
struct Wanted {
  std::vector<std::uint64_t> latency, service;
};

std::vector<std::uint64_t> percentiles(std::string_view stem, const std::vector<std::string>& extra) {
  std::set<std::uint64_t> wanted;
  for (const MetricRow& row : metric_rows()) {
    if (!row.pattern.starts_with(stem)) continue;
    if (const auto percent = parse_percentile(row.pattern.substr(stem.size()))) wanted.insert(*percent);
  }
  for (const std::string& label : extra) {
    if (const auto percent = parse_percentile(label)) wanted.insert(*percent);
  }
  return {wanted.begin(), wanted.end()};
}

double mean_of(const Histogram& histogram) { return number(histogram.sum()) / number(histogram.count()); }

void set_percentiles(PhaseMetrics& metrics, const std::string& stem, const Histogram& histogram,
                     const std::vector<std::uint64_t>& wanted) {
  for (const std::uint64_t percent : wanted) {
    metrics.set(stem + percentile_label(percent), number(histogram.percentile(percent)));
  }
}

void set_latency(PhaseMetrics& metrics, const Part& part, const std::vector<std::uint64_t>& wanted) {
  const Histogram& latency = part.totals->latency;
  const std::string stem = std::string(part.name) + ".latency.";
  if (part.rows.operations > 0) {
    metrics.set(stem + "mean", number(part.rows.latency_sum) / number(part.rows.operations));
    metrics.set(stem + "max", number(part.rows.latency_max));
  }
  if (latency.count() == 0) return;
  metrics.set(stem + "mean", mean_of(latency));
  metrics.set(stem + "min", number(latency.min()));
  metrics.set(stem + "max", number(std::max(latency.max(), part.drained_max)));
  metrics.set(stem + "stddev", latency.standard_deviation());
  set_percentiles(metrics, stem, latency, wanted);
}

void set_service_latency(PhaseMetrics& metrics, const Part& part, const std::vector<std::uint64_t>& wanted) {
  if (part.service == nullptr || part.service->count() == 0) return;
  const std::string stem = std::string(part.name) + ".service_latency.";
  metrics.set(stem + "mean", mean_of(*part.service));
  metrics.set(stem + "min", number(part.service->min()));
  metrics.set(stem + "max", number(part.service->max()));
  set_percentiles(metrics, stem, *part.service, wanted);
}

void set_iops_spread(PhaseMetrics& metrics, const Part& part) {
  if (part.iops.empty()) return;
  std::vector<double> sorted = part.iops;
  std::ranges::sort(sorted);
  const std::string stem = std::string(part.name) + ".iops.";
  const auto at_percent = [&sorted](std::uint64_t percent) {
    return sorted[percentile_rank(sorted.size(), percent * kMillionths) - 1];
  };
  metrics.set(stem + "min", sorted.front());
  metrics.set(stem + "max", sorted.back());
  if (sorted.size() > 1) {
    double mean = 0;
    for (const double value : sorted) mean += value / number(sorted.size());
    double squares = 0;
    for (const double value : sorted) squares += (value - mean) * (value - mean);
    metrics.set(stem + "cv", std::sqrt(squares / number(sorted.size() - 1)) / mean);  // not finite when all are 0
  }
  metrics.set(stem + "p1", at_percent(1));
  metrics.set(stem + "p5", at_percent(5));
}

void set_part(PhaseMetrics& metrics, const Part& part, double window, const Wanted& wanted) {
  const DirectionTotals& totals = *part.totals;
  if (totals.operations == 0 && totals.errors == 0) return;
  const bool moves = part.name != kDirectionNames[kSync];
  const std::string stem = std::string(part.name) + ".";
  metrics.set(stem + "operations", number(totals.operations));
  if (moves) metrics.set(stem + "bytes", number(totals.bytes));
  metrics.set(stem + "errors", number(totals.errors));
  if (window > 0) {
    metrics.set(stem + "iops", number(totals.operations) / window);
    if (moves) metrics.set(stem + "bandwidth", number(totals.bytes) / window);
  }
  set_latency(metrics, part, wanted.latency);
  set_service_latency(metrics, part, wanted.service);
  set_iops_spread(metrics, part);
}

// Of rows without histograms.
void add_row(const RunData& data, const IntervalDirection& row, Part& part) {
  if (!data.partial) return;
  part.rows.operations += row.operations;
  part.rows.latency_sum += row.latency_sum;
  part.rows.latency_max = std::max(part.rows.latency_max, row.latency_max);
}

Part part_of(const RunData& data, std::size_t direction, bool only_one) {
  Part part{kDirectionNames[direction],
            &data.directions[direction],
            data.drain.direction_latency_max[direction],
            {},
            data.open_loop ? &data.open_loop->service_latency[direction] : nullptr,
            {}};
  if (only_one) part.drained_max = std::max(part.drained_max, data.drain.latency_max);
  for (const Interval& row : data.intervals) {
    add_row(data, row.directions[direction], part);
    if (row.full && row.duration > 0)
      part.iops.push_back(number(row.directions[direction].operations) / seconds(row.duration));
  }
  return part;
}

Part total_of(const RunData& data, DirectionTotals& sum, Histogram& service) {
  Part part{"total", &sum, data.drain.latency_max, {}, data.open_loop ? &service : nullptr, {}};
  for (std::size_t i = 0; i < kSync; ++i) {
    sum.operations += data.directions[i].operations;
    sum.bytes += data.directions[i].bytes;
    sum.errors += data.directions[i].errors;
    sum.latency.merge(data.directions[i].latency);
    if (data.open_loop) service.merge(data.open_loop->service_latency[i]);
  }
  for (const Interval& row : data.intervals) {
    const IntervalDirection total = interval_total(row);
    add_row(data, total, part);
    if (row.full && row.duration > 0) part.iops.push_back(number(total.operations) / seconds(row.duration));
  }
  return part;
}

std::size_t directions_issued(const RunData& data) {
  return static_cast<std::size_t>(std::ranges::count_if(
      data.directions, [](const DirectionTotals& direction) { return direction.operations + direction.errors > 0; }));
}

void set_whole(PhaseMetrics& metrics, const RunData& data, double window, std::uint64_t operations) {
  metrics.set("total.stall.max", number(data.stall_max));
  if (window > 0) metrics.set("queue_depth.mean", data.in_flight_integral / (window * kNsPerSecond));
  metrics.set("drain.operations", number(data.drain.operations));
  if (data.drain.operations > 0) metrics.set("drain.latency.max", number(data.drain.latency_max));
  const std::uint64_t cpu = data.cpu_user + data.cpu_system;
  if (cpu == 0) return;  // not measured: no worker runs for nothing
  if (window > 0) {
    metrics.set("cpu.user", seconds(data.cpu_user) / window);
    metrics.set("cpu.system", seconds(data.cpu_system) / window);
  }
  if (operations > 0) metrics.set("cpu.per_io", number(cpu) / number(operations));
}

void set_open_loop(PhaseMetrics& metrics, const OpenLoopTotals& open_loop, double window) {
  const double due = open_loop.due ? number(*open_loop.due) : open_loop.rate * window;
  if (due > 0) metrics.set("rate.achieved", number(open_loop.issued) / due);
  metrics.set("rate.unissued", number(open_loop.unissued));
}

void set_lateness(PhaseMetrics& metrics, const Histogram& lateness) {
  if (lateness.count() == 0) return;
  metrics.set("runner.lateness.mean", mean_of(lateness));
  metrics.set("runner.lateness.p50", number(lateness.percentile(50 * kMillionths)));
  metrics.set("runner.lateness.p99", number(lateness.percentile(99 * kMillionths)));
  metrics.set("runner.lateness.max", number(lateness.max()));
}

// A phase that only stamps has read nothing back.
void set_verify(PhaseMetrics& metrics, const VerifyTotals& verify) {
  if (verify.expected == 0 && verify.operations == 0) return;
  metrics.set("verify.bytes", number(verify.bytes));
  metrics.set("verify.expected", number(verify.expected));
  metrics.set("verify.operations", number(verify.operations));
  for (std::size_t i = 0; i < kFaultClasses; ++i) {
    metrics.set("verify." + std::string(kFaultNames[i]), number(verify.faulty[i]));
  }
}

void set_round_trip(PhaseMetrics& metrics, const std::string& name, const RoundTrips& trips) {
  if (trips.calls > 0) metrics.set("network.rpc." + name, number(trips.ns) / number(trips.calls));
}

void set_network(PhaseMetrics& metrics, const NetworkTotals& network) {
  metrics.set("network.read.bytes", number(network.read_bytes));
  metrics.set("network.write.bytes", number(network.write_bytes));
  metrics.set("network.rpc.calls", number(network.calls));
  if (!network.rpc) return;
  metrics.set("network.rpc.retransmits", number(network.rpc->retransmits));
  metrics.set("network.rpc.timeouts", number(network.rpc->timeouts));
  set_round_trip(metrics, "rtt.mean", network.rpc->all);
  set_round_trip(metrics, "read.rtt.mean", network.rpc->read);
  set_round_trip(metrics, "write.rtt.mean", network.rpc->write);
}

}  // namespace

void PhaseMetrics::set(std::string name, double value) {
  if (!std::isfinite(value)) return;
  const auto found = std::ranges::find(values_, name, &std::pair<std::string, double>::first);
  if (found != values_.end()) {
    found->second = value;
  } else {
    values_.emplace_back(std::move(name), value);
  }
}

std::optional<double> PhaseMetrics::find(std::string_view name) const {
  const auto found = std::ranges::find(values_, name, &std::pair<std::string, double>::first);
  if (found == values_.end()) return std::nullopt;
  return found->second;
}

IntervalDirection interval_total(const Interval& interval) {
  IntervalDirection total;
  const IntervalDirection* only = nullptr;
  std::size_t used = 0;
  for (std::size_t i = 0; i < kSync; ++i) {
    const IntervalDirection& part = interval.directions[i];
    total.operations += part.operations;
    total.bytes += part.bytes;
    total.errors += part.errors;
    total.latency_sum += part.latency_sum;
    total.latency_max = std::max(total.latency_max, part.latency_max);
    total.above.resize(std::max(total.above.size(), part.above.size()));
    for (std::size_t bound = 0; bound < part.above.size(); ++bound) total.above[bound] += part.above[bound];
    if (part.operations == 0) continue;
    ++used;
    only = &part;
  }
  if (used == 1) {
    total.p50 = only->p50;
    total.p99 = only->p99;
    total.p999 = only->p999;
  } else if (interval.total) {
    total.p50 = interval.total->p50;
    total.p99 = interval.total->p99;
    total.p999 = interval.total->p999;
  }
  return total;
}

RunData partial_run(std::vector<Interval> rows, std::uint64_t begin, std::uint64_t grid) {
  RunData data;
  data.partial = true;
  data.interval_grid = grid;
  data.window_begin = data.window_end = begin;
  data.drain.finished = false;
  for (const Interval& row : rows) {
    data.window_end += row.duration;
    for (std::size_t i = 0; i < kDirections; ++i) {
      data.directions[i].operations += row.directions[i].operations;
      data.directions[i].bytes += row.directions[i].bytes;
      data.directions[i].errors += row.directions[i].errors;
    }
  }
  data.intervals = std::move(rows);
  return data;
}

PhaseMetrics compute_metrics(const RunData& data, const MetricsContext& context) {
  PhaseMetrics metrics;
  const double window = data.window_end > data.window_begin ? seconds(data.window_end - data.window_begin) : 0;
  const Wanted wanted{percentiles("X.latency.", context.extra_percentiles),
                      percentiles("X.service_latency.", context.extra_percentiles)};
  const bool only_one = directions_issued(data) == 1;
  for (std::size_t i = 0; i < kDirections; ++i) set_part(metrics, part_of(data, i, only_one), window, wanted);
  const auto sum = std::make_unique<DirectionTotals>();
  const auto service = std::make_unique<Histogram>();
  set_part(metrics, total_of(data, *sum, *service), window, wanted);
  const DirectionTotals& syncs = data.directions[kSync];
  const std::uint64_t all = sum->operations + sum->errors + syncs.operations + syncs.errors;
  if (!data.partial && all + data.drain.operations > 0) set_whole(metrics, data, window, all);
  if (data.open_loop) set_open_loop(metrics, *data.open_loop, window);
  if (data.looks) metrics.set("runner.overhead", number(data.looks->own) / number(data.looks->whole));
  if (data.open_loop) set_lateness(metrics, data.open_loop->lateness);
  if (data.network) set_network(metrics, *data.network);
  if (data.verify) set_verify(metrics, *data.verify);
  return metrics;
}

}  // namespace diskproof
