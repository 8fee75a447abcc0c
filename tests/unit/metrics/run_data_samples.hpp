// A small run whose numbers can be computed by hand; shared by the tests of metrics and verdict.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "metrics/interval_series.hpp"
#include "metrics/run_data.hpp"

namespace diskproof::test {

inline constexpr std::uint64_t kSecond = 1'000'000'000;
inline constexpr std::size_t kRead = static_cast<std::size_t>(Direction::read);
inline constexpr std::size_t kWrite = static_cast<std::size_t>(Direction::write);
inline constexpr std::size_t kSync = static_cast<std::size_t>(Direction::sync);

struct Burst {  // what completes in one interval of one second
  std::size_t direction = kRead;
  std::uint64_t operations = 0;
  std::uint64_t latency = 1000;  // ns each
  std::uint64_t block = 4096;
  std::uint64_t errors = 0;
};

// One row of a second per element; books that balance.
inline std::unique_ptr<RunData> run_of(const std::vector<std::vector<Burst>>& rows, std::uint64_t last = kSecond) {
  auto data = std::make_unique<RunData>();
  IntervalSeries series({.workers = 1, .grid = kSecond, .warmup = 0, .latency_bounds = {2000}});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto slot = std::make_unique<WorkerSlot>();
    for (const Burst& burst : rows[i]) {
      DirectionTotals& totals = slot->directions[burst.direction];
      totals.operations += burst.operations;
      totals.bytes += burst.operations * burst.block;
      totals.errors += burst.errors;
      totals.error_latency_sum += burst.errors * burst.latency;
      for (std::uint64_t k = 0; k < burst.operations; ++k) totals.latency.record(burst.latency);
      data->in_window_time += static_cast<double>((burst.operations + burst.errors) * burst.latency);
    }
    const bool is_last = i + 1 == rows.size();
    series.publish(0, static_cast<std::int64_t>(i), is_last ? last : kSecond, *slot);
  }
  series.close();
  data->intervals = series.take_finished();
  series.add_totals(data->directions);
  data->interval_grid = kSecond;
  data->window_begin = 0;
  data->window_end = rows.empty() ? 0 : (rows.size() - 1) * kSecond + last;
  data->in_flight_integral = data->in_window_time;
  return data;
}

}  // namespace diskproof::test
