// Balanced books, then each rule broken once.
#include "metrics/books.hpp"

#include <doctest/doctest.h>
#include <functional>
#include <string>

#include "unit/metrics/run_data_samples.hpp"

namespace diskproof {
namespace {

using test::Burst;
using test::kRead;
using test::kWrite;

TEST_CASE("books: a sound run balances") {
  const auto data = test::run_of({{Burst{kRead, 100, 10}}, {Burst{kRead, 50, 20}, Burst{kWrite, 7, 3000, 512, 2}}});
  CHECK_FALSE(check_books(*data, compute_metrics(*data, {})));
  CHECK_FALSE(check_books(RunData{}, PhaseMetrics{}));
}

TEST_CASE("books: the tolerance is one percent") {
  const auto data = test::run_of({{Burst{kRead, 100, 10}}});
  data->in_flight_integral = data->in_window_time * 1.0099;
  CHECK_FALSE(check_books(*data, compute_metrics(*data, {})));
  data->in_flight_integral = data->in_window_time * 1.02;
  CHECK(check_books(*data, compute_metrics(*data, {})));
}

TEST_CASE("books: each broken rule is named with its numbers") {
  struct Row {
    std::string name;
    std::function<void(RunData&, PhaseMetrics&)> break_it;
    const char* rule;
    const char* number;
  };
  for (const Row& row :
       {Row{"a sample too many", [](RunData&d, PhaseMetrics&) { d.directions[kRead].latency.record(1); }, "samples",
            "151"},
        {"a row lost an operation", [](RunData&d, PhaseMetrics&) { d.intervals[1].directions[kRead].operations--; },
         "rows", "149 read operations"},
        {"a row lost bytes", [](RunData&d, PhaseMetrics&) { d.intervals[0].directions[kRead].bytes -= 4096; }, "rows",
         "read bytes"},
        {"a row has an error more", [](RunData&d, PhaseMetrics&) { d.intervals[0].directions[kWrite].errors++; },
         "rows", "1 write errors"},
        {"a row has another time", [](RunData&d, PhaseMetrics&) { d.intervals[0].directions[kRead].latency_sum++; },
         "rows", "2001 read ns of latency"},
        {"a row is missing", [](RunData&d, PhaseMetrics&) { d.intervals.pop_back(); }, "rows", "100 read operations"},
        {"bandwidth is not IOPS x block", [](RunData&, PhaseMetrics&m) { m.set("read.bandwidth", 1e6); }, "bandwidth",
         "1000000"},
        {"queues idle that I/Os were in", [](RunData&d, PhaseMetrics&) { d.in_flight_integral /= 2; }, "in flight",
         "1000 ns"},
        {"nothing in flight", [](RunData&d, PhaseMetrics&) { d.in_flight_integral = 0; }, "in flight", "2000 ns"}}) {
    CAPTURE(row.name);
    const auto data = test::run_of({{Burst{kRead, 100, 10}}, {Burst{kRead, 50, 20}}});
    PhaseMetrics metrics = compute_metrics(*data, {});
    row.break_it(*data, metrics);
    const auto fault = check_books(*data, metrics);
    REQUIRE(fault);
    CHECK(fault->rule == row.rule);
    CHECK(fault->text.find(row.number) != std::string::npos);
  }
}

}  // namespace
}  // namespace diskproof
