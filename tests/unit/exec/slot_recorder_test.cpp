// Slots on the grid, for one worker and for several.
#include "exec/slot_recorder.hpp"

#include <array>
#include <doctest/doctest.h>
#include <vector>

#include "exec/stall_log.hpp"
#include "worker_bench.hpp"

using namespace diskproof;
using namespace diskproof::testing;

namespace {

Window window_of(std::uint64_t warmup, std::uint64_t duration, std::uint64_t grid, TickScale scale = {}) {
  Window window;
  window.go = 1'000'000;
  window.begin = window.go + scale.from_ns(warmup);
  window.end = duration == 0 ? kNever : window.begin + scale.from_ns(duration);
  window.warmup_ns = warmup;
  window.grid_ns = grid;
  window.scale = scale;
  return window;
}

std::vector<std::uint64_t> durations(const std::vector<Interval>& rows) {
  std::vector<std::uint64_t> column;
  for (const Interval& row : rows) column.push_back(row.duration);
  return column;
}

}  // namespace

TEST_CASE("slot recorder: slots are as long as the grid whatever the tick rate") {
  for (const std::uint64_t rate : {1'000'000'000u, 2'999'999'987u, 24'000'000u, 3'333'333'333u}) {
    CAPTURE(rate);
    const Window window = window_of(250 * kMs, kSecond, 100 * kMs, TickScale::of(rate));
    IntervalSeries series({1, 100 * kMs, 250 * kMs, {}});
    SlotRecorder recorder(0, window, series);
    recorder.advance(window.end);
    CHECK(recorder.draining());
    const auto rows = series.take_finished();
    REQUIRE(rows.size() == 13);
    CHECK(rows[0].index == -3);
    CHECK(rows[0].duration == doctest::Approx(50 * kMs).epsilon(1e-5));
    for (std::size_t i = 1; i < rows.size(); ++i) CHECK(rows[i].duration == 100 * kMs);
  }
}

TEST_CASE("slot recorder: counts go to the slot that holds the stamp, an edge opens the next") {
  const Window window = window_of(0, 3000, 1000);
  IntervalSeries series({1, 1000, 0, {}});
  SlotRecorder recorder(0, window, series);
  for (const Ticks at : {0u, 999u, 1000u, 1001u, 2999u, 3000u}) {
    recorder.advance(window.go + at);
    recorder.counts(Direction::read).latency.record(at);
  }
  const auto rows = series.take_finished();
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].directions[0].operations == 2);
  CHECK(rows[1].directions[0].operations == 2);
  CHECK(rows[2].directions[0].operations == 1);
  CHECK(recorder.drain().directions[0].latency.count() == 1);
  CHECK_FALSE(recorder.in_window());
}

TEST_CASE("slot recorder: close ends the window once") {
  const Window window = window_of(0, 3000, 1000);
  IntervalSeries series({1, 1000, 0, {}});
  SlotRecorder recorder(0, window, series);
  recorder.close(window.go + 1500);
  recorder.close(window.go + 2500);
  recorder.advance(window.go + 9999);
  CHECK(recorder.window_end() == window.go + 1500);
  CHECK(durations(series.take_finished()) == std::vector<std::uint64_t>{1000, 500});
}

TEST_CASE("slot recorder: a worker that ends early does not hold up the rows of another") {
  const Window window = window_of(0, 3000, 1000);
  IntervalSeries series({2, 1000, 0, {}});
  SlotRecorder first(0, window, series), second(1, window, series);
  first.counts(Direction::read).latency.record(1);
  first.close(window.go + 500);
  second.advance(window.go + 2000);
  CHECK(durations(series.take_finished()) == std::vector<std::uint64_t>{1000, 1000});
  second.advance(window.end);
  CHECK(durations(series.take_finished()) == std::vector<std::uint64_t>{1000});
}

TEST_CASE("slot recorder: a worker that goes on after the series was closed harms nothing") {
  const Window window = window_of(0, 5000, 1000);
  IntervalSeries series({2, 1000, 0, {}});
  SlotRecorder stuck(0, window, series), other(1, window, series);
  other.counts(Direction::read).latency.record(1);
  other.advance(window.go + 2000);
  series.close();
  CHECK(series.take_finished().size() == 2);
  other.counts(Direction::read).latency.record(1);
  other.advance(window.end);
  CHECK(series.take_finished().empty());
  std::array<DirectionTotals, kDirections> totals{};
  series.add_totals(totals);
  CHECK(totals[0].operations == 1);
}

TEST_CASE("slot recorder: two workers add up, and a stall counts only where both stand still") {
  const auto run = [](const char* tail_at) {
    return run_on_sim(
        {.depth = 2, .duration = 4 * kSecond},
        {{"service_time", "1000000"}, {"parallelism", "1"}, {"tail_at", tail_at}, {"tail_time", "1000000000"}});
  };
  const WorkerOutcome one = run("500"), two = run("1000");
  const auto span = [](const WorkerOutcome& outcome) {
    return WorkerStalls{outcome.result.stalls.gaps(), outcome.result.window_begin, outcome.result.window_end};
  };
  CHECK(longest_common_gap(std::vector<WorkerStalls>{span(one)}) == kSecond);
  CHECK(longest_common_gap(std::vector<WorkerStalls>{span(two)}) == kSecond);
  // One stands still in [499, 1499) ms, two in [999, 1999) ms.
  CHECK(longest_common_gap(std::vector<WorkerStalls>{span(one), span(two)}) == 500 * kMs);
}
