// The series as several workers fill it: late, early, with gaps, at the end.
#include "metrics/interval_series.hpp"

#include <doctest/doctest.h>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace diskproof {
namespace {

constexpr std::uint64_t kGrid = 1000;
constexpr std::size_t kRead = 0;
constexpr std::size_t kWrite = 1;

// A worker's slot with reads of 512 bytes that took the given times.
std::unique_ptr<WorkerSlot> reads(const std::vector<std::uint64_t>& latencies, std::size_t direction = kRead) {
  auto slot = std::make_unique<WorkerSlot>();
  for (const std::uint64_t ns : latencies) {
    DirectionTotals& totals = slot->directions[direction];
    ++totals.operations;
    totals.bytes += 512;
    totals.latency.record(ns);
  }
  return slot;
}

TEST_CASE("interval series: a row is finished when the slowest worker has passed it") {
  IntervalSeries series({.workers = 2, .grid = kGrid, .warmup = 0, .latency_bounds = {}});
  series.publish(0, 0, kGrid, *reads({10}));
  series.publish(0, 1, kGrid, *reads({20, 30}));
  series.publish(0, 2, kGrid, *reads({40}));
  CHECK(series.take_finished().empty());
  series.publish(1, 0, kGrid, *reads({50}));
  auto rows = series.take_finished();
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].index == 0);
  CHECK(rows[0].directions[kRead].operations == 2);
  CHECK(rows[0].directions[kRead].bytes == 1024);
  CHECK(rows[0].directions[kRead].latency_sum == 60);
  series.publish(1, 2, kGrid, *reads({60}));  // leaves out 1: nothing completed
  rows = series.take_finished();
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].index == 1);
  CHECK(rows[0].directions[kRead].operations == 2);
  CHECK(rows[1].directions[kRead].operations == 2);
}

TEST_CASE("interval series: percentiles of a row are those of all workers together") {
  IntervalSeries series({.workers = 2, .grid = kGrid, .warmup = 0, .latency_bounds = {50, 99}});
  std::vector<std::uint64_t> low, high;
  for (std::uint64_t ns = 1; ns <= 50; ++ns) low.push_back(ns);
  for (std::uint64_t ns = 51; ns <= 100; ++ns) high.push_back(ns);
  series.publish(0, 0, kGrid, *reads(low));
  series.publish(1, 0, kGrid, *reads(high));
  const auto rows = series.take_finished();
  REQUIRE(rows.size() == 1);
  const IntervalDirection& read = rows[0].directions[kRead];
  CHECK(read.p50 == 50);
  CHECK(read.p99 == 99);
  CHECK(read.p999 == 100);
  CHECK(read.latency_max == 100);
  CHECK(read.above == std::vector<std::uint64_t>{50, 1});
  CHECK_FALSE(rows[0].directions[kWrite].p50);
  CHECK(rows[0].directions[kWrite].above.empty());
  CHECK_FALSE(rows[0].total);
}

TEST_CASE("interval series: mixed rows have percentiles over all directions but sync") {
  IntervalSeries series({.workers = 1, .grid = kGrid, .warmup = 0, .latency_bounds = {}});
  auto slot = reads({10, 20});
  const auto writes = reads({30, 40}, kWrite);
  slot->directions[kWrite] = writes->directions[kWrite];
  slot->directions[3].operations = 1;
  slot->directions[3].latency.record(200);
  series.publish(0, 0, kGrid, *slot);
  const auto rows = series.take_finished();
  REQUIRE(rows.size() == 1);
  REQUIRE(rows[0].total);
  CHECK(rows[0].total->p50 == 20);
  CHECK(rows[0].total->p99 == 40);
  CHECK(rows[0].directions[3].p50 == 200);
}

TEST_CASE("interval series: slots that nobody published are rows without operations") {
  IntervalSeries series({.workers = 2, .grid = kGrid, .warmup = 0, .latency_bounds = {}});
  series.publish(0, 3, kGrid, WorkerSlot{});
  series.publish(1, 4, 400, *reads({10}));
  series.close();
  const auto rows = series.take_finished();
  REQUIRE(rows.size() == 5);
  for (std::int64_t i = 0; i < 4; ++i) {
    CAPTURE(i);
    const Interval& row = rows[static_cast<std::size_t>(i)];
    CHECK(row.index == i);
    CHECK(row.duration == kGrid);
    CHECK(row.full);
    CHECK(row.directions[kRead].operations == 0);
    CHECK_FALSE(row.directions[kRead].p50);
  }
  CHECK(rows[4].duration == 400);
  CHECK_FALSE(rows[4].full);
}

TEST_CASE("interval series: a worker that ends early keeps nobody waiting and the longer slot gives the duration") {
  IntervalSeries series({.workers = 2, .grid = kGrid, .warmup = 0, .latency_bounds = {}});
  series.publish(0, 0, 300, *reads({10}));
  series.finish_worker(0);
  series.publish(1, 0, kGrid, *reads({20}));
  series.publish(1, 1, kGrid, *reads({30}));
  const auto rows = series.take_finished();
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].duration == kGrid);
  CHECK(rows[0].full);
}

TEST_CASE("interval series: warm-up rows come first and are in no total") {
  IntervalSeries series({.workers = 1, .grid = kGrid, .warmup = 2500, .latency_bounds = {}});
  series.publish(0, -2, kGrid, *reads({1, 2, 3}));
  series.publish(0, -1, kGrid, *reads({4}));
  series.publish(0, 0, kGrid, *reads({5, 6}));
  const auto rows = series.take_finished();
  REQUIRE(rows.size() == 4);
  CHECK(rows[0].index == -3);
  CHECK(rows[0].duration == 500);
  CHECK_FALSE(rows[0].full);
  CHECK(rows[1].directions[kRead].operations == 3);
  const auto totals = std::make_unique<std::array<DirectionTotals, kDirections>>();
  series.add_totals(*totals);
  CHECK((*totals)[kRead].operations == 2);
  CHECK((*totals)[kRead].latency.sum() == 11);
  CHECK((*totals)[kRead].latency.count() == 2);
}

TEST_CASE("interval series: errors and their time are counted apart from latency") {
  IntervalSeries series({.workers = 1, .grid = kGrid, .warmup = 0, .latency_bounds = {5}});
  WorkerSlot slot;
  slot.directions[kRead].errors = 2;
  slot.directions[kRead].error_latency_sum = 700;
  series.publish(0, 0, kGrid, slot);
  const auto rows = series.take_finished();
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].directions[kRead].errors == 2);
  CHECK_FALSE(rows[0].directions[kRead].p50);
  const auto totals = std::make_unique<std::array<DirectionTotals, kDirections>>();
  series.add_totals(*totals);
  CHECK((*totals)[kRead].errors == 2);
  CHECK((*totals)[kRead].error_latency_sum == 700);
}

TEST_CASE("interval series: rows that nobody takes for long are kept in order and complete") {
  IntervalSeries series({.workers = 1, .grid = kGrid, .warmup = 0, .latency_bounds = {}});
  for (std::int64_t index = 0; index < 1000; ++index) series.publish(0, index, kGrid, *reads({10, 20}));
  const auto rows = series.take_finished();
  REQUIRE(rows.size() == 1000);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    REQUIRE(rows[i].index == static_cast<std::int64_t>(i));
    REQUIRE(rows[i].directions[kRead].latency_sum == 30);
  }
  const auto totals = std::make_unique<std::array<DirectionTotals, kDirections>>();
  series.add_totals(*totals);
  CHECK((*totals)[kRead].operations == 2000);
}

TEST_CASE("interval series: what cannot be is refused") {
  CHECK_THROWS_AS(IntervalSeries({.workers = 0, .grid = kGrid, .warmup = 0, .latency_bounds = {}}), std::logic_error);
  CHECK_THROWS_AS(IntervalSeries({.workers = 1, .grid = 0, .warmup = 0, .latency_bounds = {}}), std::logic_error);
  IntervalSeries series({.workers = 1, .grid = kGrid, .warmup = kGrid, .latency_bounds = {}});
  CHECK_THROWS_AS(series.publish(0, -2, kGrid, WorkerSlot{}), std::logic_error);
  series.publish(0, 0, kGrid, WorkerSlot{});
  CHECK_THROWS_AS(series.publish(0, 0, kGrid, WorkerSlot{}), std::logic_error);
  CHECK_THROWS_AS(series.publish(1, 0, kGrid, WorkerSlot{}), std::logic_error);
}

TEST_CASE("interval series: rows sum to the totals when threads publish at once") {
  constexpr std::uint32_t kWorkers = 4;
  constexpr std::int64_t kSlots = 200;
  IntervalSeries series({.workers = kWorkers, .grid = kGrid, .warmup = 0, .latency_bounds = {}});
  std::vector<std::thread> threads;
  for (std::uint32_t worker = 0; worker < kWorkers; ++worker) {
    threads.emplace_back([&series, worker] {
      for (std::int64_t index = 0; index < kSlots; ++index) {
        const auto slot = reads({worker + 1u, static_cast<std::uint64_t>(index) + 300});
        series.publish(worker, index, kGrid, *slot);
      }
      series.finish_worker(worker);
    });
  }
  std::vector<Interval> rows;
  while (rows.size() < static_cast<std::size_t>(kSlots)) {
    for (Interval& row : series.take_finished()) rows.push_back(std::move(row));
    std::this_thread::yield();
  }
  for (std::thread& thread : threads) thread.join();
  std::uint64_t operations = 0;
  std::uint64_t latency = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    REQUIRE(rows[i].index == static_cast<std::int64_t>(i));
    operations += rows[i].directions[kRead].operations;
    latency += rows[i].directions[kRead].latency_sum;
  }
  const auto totals = std::make_unique<std::array<DirectionTotals, kDirections>>();
  series.add_totals(*totals);
  CHECK(operations == 2 * kWorkers * kSlots);
  CHECK((*totals)[kRead].operations == operations);
  CHECK((*totals)[kRead].latency.sum() == latency);
}

}  // namespace
}  // namespace diskproof
