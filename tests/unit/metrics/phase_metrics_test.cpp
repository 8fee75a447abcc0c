// Metrics of runs small enough to compute by hand.
#include "metrics/phase_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <vector>

#include "metrics/names.hpp"
#include "unit/metrics/run_data_samples.hpp"

namespace diskproof {
namespace {

using test::Burst;
using test::kRead;
using test::kSecond;
using test::kSync;
using test::kWrite;
using test::run_of;

double at(const PhaseMetrics& metrics, const std::string& name) {
  const auto value = metrics.find(name);
  INFO(name);
  REQUIRE(value.has_value());
  return *value;
}

bool any_with(const PhaseMetrics& metrics, std::string_view prefix) {
  return std::ranges::any_of(metrics.all(), [&](const auto& entry) { return entry.first.starts_with(prefix); });
}

TEST_CASE("phase metrics: a hand-computed read phase") {
  const auto data = run_of({{Burst{kRead, 100, 10}}, {Burst{kRead, 300, 20}}, {Burst{kRead, 200, 30}}});
  data->stall_max = 77;
  data->in_flight_integral = 12e9;
  data->cpu_user = 600'000;
  data->cpu_system = 1'200'000;
  const PhaseMetrics metrics = compute_metrics(*data, {.planned_depth = 4, .extra_percentiles = {}});
  struct Row {
    std::string name;
    double value;
  };
  for (const Row& row : {Row{"read.operations", 600},
                         {"read.bytes", 600 * 4096.0},
                         {"read.errors", 0},
                         {"read.iops", 200},
                         {"read.bandwidth", 200 * 4096.0},
                         {"read.latency.mean", 13000.0 / 600},
                         {"read.latency.min", 10},
                         {"read.latency.max", 30},
                         {"read.latency.stddev",
                          std::sqrt((100 * 11.6667 * 11.6667 + 300 * 1.6667 * 1.6667 + 200 * 8.3333 * 8.3333) / 600)},
                         {"read.latency.p50", 20},
                         {"read.latency.p90", 30},
                         {"read.latency.p99.999", 30},
                         {"read.iops.min", 100},
                         {"read.iops.max", 300},
                         {"read.iops.cv", 0.5},
                         {"read.iops.p1", 100},
                         {"read.iops.p5", 100},
                         {"total.iops", 200},
                         {"total.latency.p50", 20},
                         {"total.stall.max", 77},
                         {"queue_depth.mean", 4},
                         {"drain.operations", 0},
                         {"cpu.user", 0.0002},
                         {"cpu.system", 0.0004},
                         {"cpu.per_io", 3000}}) {
    CHECK(at(metrics, row.name) == doctest::Approx(row.value).epsilon(1e-4));
  }
  CHECK_FALSE(any_with(metrics, "write."));
  CHECK_FALSE(any_with(metrics, "trim."));
  CHECK_FALSE(any_with(metrics, "sync."));
  CHECK_FALSE(metrics.find("drain.latency.max"));
}

TEST_CASE("phase metrics: total merges directions exactly and leaves sync out") {
  const auto data = run_of({{Burst{kRead, 300, 10}, Burst{kWrite, 100, 200, 8192}, Burst{kSync, 5, 5000, 0}}});
  const PhaseMetrics metrics = compute_metrics(*data, {});
  CHECK(at(metrics, "total.operations") == 400);
  CHECK(at(metrics, "total.bytes") == 300 * 4096 + 100 * 8192);
  CHECK(at(metrics, "total.latency.max") == 200);
  CHECK(at(metrics, "total.latency.p50") == 10);
  CHECK(at(metrics, "total.latency.p90") == 200);
  CHECK(at(metrics, "total.latency.mean") == doctest::Approx(57.5));
  CHECK(at(metrics, "sync.latency.p50") == doctest::Approx(5000));
  CHECK(at(metrics, "sync.iops") == 5);
  CHECK_FALSE(metrics.find("sync.bytes"));
  CHECK_FALSE(metrics.find("sync.bandwidth"));
}

TEST_CASE("phase metrics: names and order are those of the table") {
  const auto data =
      run_of({{Burst{kRead, 30, 10}, Burst{kWrite, 10, 200}}, {Burst{kSync, 5, 50}, Burst{kRead, 9, 10}}});
  data->drain = {.operations = 1, .latency_max = 5, .direction_latency_max = {}, .finished = true};
  data->cpu_user = 1;
  OpenLoopTotals& open_loop = data->open_loop.emplace();
  open_loop.rate = 1;
  open_loop.lateness.record(1);
  data->looks = RoundLooks{1, 10, 0, 0};
  for (const std::size_t direction : {kRead, kWrite, kSync}) open_loop.service_latency[direction].record(9);
  RpcTotals& rpc = data->network.emplace().rpc.emplace();
  rpc.read = {4, 20};
  rpc.write = {2, 60};
  rpc.all = {8, 160};
  const PhaseMetrics metrics = compute_metrics(*data, {});
  std::vector<std::string> order;
  for (const auto& [name, value] : metrics.all()) {
    CAPTURE(name);
    CHECK(std::isfinite(value));
    CHECK(std::ranges::count(metric_names(), name) == 1);
    order.push_back(name);
  }
  std::vector<std::string> expected;
  for (const std::string& name : metric_names()) {
    if (metrics.find(name)) expected.push_back(name);
  }
  CHECK(order == expected);
  CHECK(at(metrics, "runner.overhead") == 0.1);
  CHECK(at(metrics, "network.rpc.rtt.mean") == 20);
  CHECK(at(metrics, "network.rpc.read.rtt.mean") == 5);
  CHECK(at(metrics, "network.rpc.write.rtt.mean") == 30);
  CHECK(order.size() == metric_names().size() - 30 - 5 * 12 - 10);  // without trim and verify, and nothing is merged
}

TEST_CASE("phase metrics: an open loop has its rate, service latency and lateness") {
  const auto data = run_of({{Burst{kRead, 300, 1000}, Burst{kWrite, 100, 2000}}, {Burst{kRead, 300, 1000}}});
  CHECK_FALSE(any_with(compute_metrics(*data, {}), "rate."));
  CHECK_FALSE(any_with(compute_metrics(*data, {}), "runner."));
  CHECK_FALSE(any_with(compute_metrics(*data, {}), "read.service_latency."));
  OpenLoopTotals& open_loop = data->open_loop.emplace();
  open_loop.rate = 400;
  open_loop.issued = 720;
  open_loop.unissued = 80;
  for (int i = 0; i < 600; ++i) open_loop.service_latency[kRead].record(10);
  for (int i = 0; i < 100; ++i) open_loop.service_latency[kWrite].record(100);
  for (std::uint64_t i = 1; i <= 100; ++i) open_loop.lateness.record(i);
  const PhaseMetrics metrics = compute_metrics(*data, {.planned_depth = 1, .extra_percentiles = {"p99.95"}});
  struct Row {
    std::string name;
    double value;
  };
  for (const Row& row : {Row{"rate.achieved", 0.9},
                         {"rate.unissued", 80},
                         {"runner.lateness.mean", 50.5},
                         {"runner.lateness.p50", 50},
                         {"runner.lateness.p99", 99},
                         {"runner.lateness.max", 100},
                         {"read.latency.p50", 1000},
                         {"read.service_latency.mean", 10},
                         {"read.service_latency.p99.95", 10},
                         {"write.service_latency.p50", 100},
                         {"total.service_latency.mean", 16000.0 / 700},
                         {"total.service_latency.min", 10},
                         {"total.service_latency.max", 100},
                         {"total.service_latency.p90", 100},
                         {"total.service_latency.p50", 10}}) {
    CHECK(at(metrics, row.name) == doctest::Approx(row.value).epsilon(0.01));
  }
  CHECK_FALSE(metrics.find("read.service_latency.p99.999"));
  CHECK_FALSE(any_with(metrics, "sync.service_latency."));
}

TEST_CASE("phase metrics: an open loop without one start has no lateness") {
  const auto data = run_of({{}});
  data->open_loop.emplace().rate = 0.1;
  const PhaseMetrics metrics = compute_metrics(*data, {});
  CHECK(at(metrics, "rate.achieved") == 0);
  CHECK(at(metrics, "rate.unissued") == 0);
  CHECK_FALSE(any_with(metrics, "runner."));
}

TEST_CASE("phase metrics: a direction with errors only has errors and no latency") {
  const auto data = run_of({{Burst{kRead, 0, 10, 4096, 3}}});
  const PhaseMetrics metrics = compute_metrics(*data, {});
  CHECK(at(metrics, "read.errors") == 3);
  CHECK(at(metrics, "read.operations") == 0);
  CHECK(at(metrics, "read.iops") == 0);
  CHECK_FALSE(any_with(metrics, "read.latency"));
  CHECK_FALSE(metrics.find("read.iops.cv"));
}

TEST_CASE("phase metrics: nothing issued gives no metric at all") {
  CHECK(compute_metrics(RunData{}, {}).all().empty());
  const auto idle = run_of({{}, {}});
  CHECK(compute_metrics(*idle, {}).all().empty());
}

TEST_CASE("phase metrics: partial intervals are left out of the spread") {
  const auto data = run_of({{Burst{kRead, 100}}, {Burst{kRead, 120}}, {Burst{kRead, 3}}}, kSecond / 10);
  const PhaseMetrics metrics = compute_metrics(*data, {});
  CHECK(at(metrics, "read.iops.min") == 100);
  CHECK(at(metrics, "read.iops.max") == 120);
  CHECK(at(metrics, "read.iops") == doctest::Approx(223 / 2.1));
}

TEST_CASE("phase metrics: one full interval has no spread, none has no minimum") {
  const auto one = run_of({{Burst{kRead, 100}}});
  CHECK(compute_metrics(*one, {}).find("read.iops.min"));
  CHECK_FALSE(compute_metrics(*one, {}).find("read.iops.cv"));
  const auto none = run_of({{Burst{kRead, 100}}}, kSecond / 2);
  CHECK_FALSE(compute_metrics(*none, {}).find("read.iops.min"));
  CHECK(compute_metrics(*none, {}).find("read.iops") == 200);
}

TEST_CASE("phase metrics: an empty interval counts in the minimum") {
  const auto data = run_of({{Burst{kRead, 100}}, {}, {Burst{kRead, 100}}});
  CHECK(at(compute_metrics(*data, {}), "read.iops.min") == 0);
}

TEST_CASE("phase metrics: an older drained I/O raises the maximum") {
  const auto single = run_of({{Burst{kRead, 10, 100}}});
  single->drain = {.operations = 2, .latency_max = 5000, .direction_latency_max = {}, .finished = true};
  PhaseMetrics metrics = compute_metrics(*single, {});
  CHECK(at(metrics, "read.latency.max") == 5000);
  CHECK(at(metrics, "total.latency.max") == 5000);
  CHECK(at(metrics, "drain.operations") == 2);
  CHECK(at(metrics, "drain.latency.max") == 5000);
  CHECK(at(metrics, "read.latency.p99") == 100);

  single->drain.latency_max = 50;
  CHECK(at(compute_metrics(*single, {}), "read.latency.max") == 100);

  const auto mixed = run_of({{Burst{kRead, 10, 100}, Burst{kWrite, 10, 200}}});
  mixed->drain = {.operations = 2, .latency_max = 5000, .direction_latency_max = {150, 5000, 0, 0}, .finished = true};
  metrics = compute_metrics(*mixed, {});
  CHECK(at(metrics, "read.latency.max") == 150);
  CHECK(at(metrics, "write.latency.max") == 5000);
  CHECK(at(metrics, "total.latency.max") == 5000);
}

TEST_CASE("phase metrics: percentiles that a threshold asks for stand among the others") {
  const auto data = run_of({{Burst{kRead, 1000, 10}}});
  const PhaseMetrics metrics =
      compute_metrics(*data, {.planned_depth = 1, .extra_percentiles = {"p99.95", "p10", "p99.9", "nonsense"}});
  CHECK(at(metrics, "read.latency.p99.95") == 10);
  std::vector<std::string> labels;
  for (const auto& [name, value] : metrics.all()) {
    if (name.starts_with("read.latency.p")) labels.push_back(name.substr(13));
  }
  CHECK(labels == std::vector<std::string>{"p10", "p50", "p90", "p95", "p99", "p99.9", "p99.95", "p99.99", "p99.999"});
}

TEST_CASE("phase metrics: of a partial run only what its rows tell is there") {
  const auto whole = run_of({{Burst{kRead, 10, 100}}, {Burst{kRead, 30, 100}}});
  const RunData data = partial_run(whole->intervals, 500, whole->interval_grid);
  const PhaseMetrics metrics = compute_metrics(data, {});
  CHECK(at(metrics, "read.operations") == 40);
  CHECK(metrics.find("read.iops") == compute_metrics(*whole, {}).find("read.iops"));
  CHECK(metrics.find("total.bandwidth") == compute_metrics(*whole, {}).find("total.bandwidth"));
  CHECK(data.window_begin == 500);
  CHECK(metrics.find("read.latency.mean") == 100);
  CHECK(metrics.find("total.latency.max") == 100);
  for (const char* unknown : {"read.latency.p50", "read.latency.min", "queue_depth.mean", "total.stall.max",
                              "drain.operations", "cpu.user"}) {
    CAPTURE(unknown);
    CHECK_FALSE(metrics.find(unknown));
  }
}

TEST_CASE("phase metrics: values that are not finite are never kept") {
  PhaseMetrics metrics;
  metrics.set("read.iops", std::numeric_limits<double>::quiet_NaN());
  metrics.set("read.bandwidth", std::numeric_limits<double>::infinity());
  CHECK(metrics.all().empty());
  metrics.set("read.iops", 1);
  metrics.set("read.iops", 2);
  CHECK(metrics.all().size() == 1);
  CHECK(metrics.find("read.iops") == 2);
}

}  // namespace
}  // namespace diskproof
