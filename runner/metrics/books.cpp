// Each rule by itself; they are tried from the exact to the approximate.
#include "metrics/books.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <string_view>

namespace diskproof {
namespace {

constexpr double kTolerance = 0.01;

bool near(double a, double b) { return std::abs(a - b) <= kTolerance * std::max(std::abs(a), std::abs(b)); }

std::optional<BookFault> check_samples(const RunData& data) {
  for (std::size_t i = 0; i < kDirections; ++i) {
    const DirectionTotals& totals = data.directions[i];
    if (totals.latency.count() == totals.operations) continue;
    return BookFault{"samples", fmt::format("{} has {} latency samples for {} operations", kDirectionNames[i],
                                            totals.latency.count(), totals.operations)};
  }
  return std::nullopt;
}

std::optional<BookFault> check_rows(const RunData& data) {
  for (std::size_t i = 0; i < kDirections; ++i) {
    IntervalDirection sum;
    for (const Interval& row : data.intervals) {
      sum.operations += row.directions[i].operations;
      sum.bytes += row.directions[i].bytes;
      sum.errors += row.directions[i].errors;
      sum.latency_sum += row.directions[i].latency_sum;
    }
    const DirectionTotals& whole = data.directions[i];
    const auto differ = [&](std::string_view what, std::uint64_t parts, std::uint64_t all) {
      return BookFault{"rows", fmt::format("the intervals sum to {} {} {}, the run counted {}", parts,
                                           kDirectionNames[i], what, all)};
    };
    if (sum.operations != whole.operations) return differ("operations", sum.operations, whole.operations);
    if (sum.bytes != whole.bytes) return differ("bytes", sum.bytes, whole.bytes);
    if (sum.errors != whole.errors) return differ("errors", sum.errors, whole.errors);
    if (sum.latency_sum != whole.latency.sum()) return differ("ns of latency", sum.latency_sum, whole.latency.sum());
  }
  return std::nullopt;
}

std::optional<BookFault> check_bandwidth(const PhaseMetrics& metrics) {
  for (const std::string name : {"read", "write", "trim", "total"}) {
    const auto operations = metrics.find(name + ".operations");
    const auto bytes = metrics.find(name + ".bytes");
    const auto iops = metrics.find(name + ".iops");
    const auto bandwidth = metrics.find(name + ".bandwidth");
    if (!operations || *operations <= 0 || !bytes || !iops || !bandwidth) continue;
    const double product = *iops * (*bytes / *operations);
    if (near(*bandwidth, product)) continue;
    return BookFault{"bandwidth",
                     fmt::format("{0}.bandwidth is {1:.0f} bytes/s, but {2:.1f} {0}.iops of {3:.0f} bytes are {4:.0f}",
                                 name, *bandwidth, *iops, *bytes / *operations, product)};
  }
  return std::nullopt;
}

std::optional<BookFault> check_in_flight(const RunData& data) {
  if (near(data.in_flight_integral, data.in_window_time)) return std::nullopt;
  return BookFault{"in flight",
                   fmt::format("I/Os were in flight for {:.0f} ns by the queues and for {:.0f} ns by their own stamps",
                               data.in_flight_integral, data.in_window_time)};
}

}  // namespace

std::optional<BookFault> check_books(const RunData& data, const PhaseMetrics& metrics) {
  if (auto fault = check_samples(data)) return fault;
  if (auto fault = check_rows(data)) return fault;
  if (auto fault = check_bandwidth(metrics)) return fault;
  return check_in_flight(data);
}

}  // namespace diskproof
