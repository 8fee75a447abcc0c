// Counts and times are summed, extremes compared, histograms merged: all exact.
#include "metrics/sums.hpp"

#include <algorithm>

namespace diskproof {
namespace {

void add_totals(DirectionTotals& to, const DirectionTotals& from) {
  to.operations += from.operations;
  to.bytes += from.bytes;
  to.errors += from.errors;
  to.error_latency_sum += from.error_latency_sum;
  to.latency.merge(from.latency);
}

void add_drain(Drain& to, const Drain& from) {
  to.operations += from.operations;
  to.latency_max = std::max(to.latency_max, from.latency_max);
  for (std::size_t i = 0; i < kDirections; ++i) {
    to.direction_latency_max[i] = std::max(to.direction_latency_max[i], from.direction_latency_max[i]);
  }
  to.finished = to.finished && from.finished;
}

}  // namespace

void add_amounts(RunData& to, const RunData& from) {
  to.partial = to.partial || from.partial;
  for (std::size_t i = 0; i < kDirections; ++i) add_totals(to.directions[i], from.directions[i]);
  add_drain(to.drain, from.drain);
  to.in_flight_integral += from.in_flight_integral;
  to.in_window_time += from.in_window_time;
  to.stall_max = std::max(to.stall_max, from.stall_max);
  to.cpu_user += from.cpu_user;
  to.cpu_system += from.cpu_system;
}

}  // namespace diskproof
