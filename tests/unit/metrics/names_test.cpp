// The table of metric names, and that the documentation has all of them.
#include "metrics/names.hpp"

#include <doctest/doctest.h>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace diskproof {
namespace {

TEST_CASE("metric names: known names, their unit and their canonical form") {
  struct Row {
    std::string name;
    MetricUnit unit;
    const char* canonical;
    const char* direction;
  };
  for (const Row& row :
       {Row{"read.iops", MetricUnit::per_second, "read.iops", "read"},
        {"total.bandwidth", MetricUnit::bytes_per_second, "total.bandwidth", "total"},
        {"sync.latency.p99", MetricUnit::nanoseconds, "sync.latency.p99", "sync"},
        {"write.latency.p99.90", MetricUnit::nanoseconds, "write.latency.p99.9", "write"},
        {"write.latency.p99.95", MetricUnit::nanoseconds, "write.latency.p99.95", "write"},
        {"trim.latency.p0.1", MetricUnit::nanoseconds, "trim.latency.p0.1", "trim"},
        {"read.latency.p100", MetricUnit::nanoseconds, "read.latency.p100", "read"},
        {"read.iops.cv", MetricUnit::ratio, "read.iops.cv", "read"},
        {"total.stall.max", MetricUnit::nanoseconds, "total.stall.max", "total"},
        {"queue_depth.mean", MetricUnit::depth, "queue_depth.mean", ""},
        {"read.service_latency.p99.90", MetricUnit::nanoseconds, "read.service_latency.p99.9", "read"},
        {"total.service_latency.p99.95", MetricUnit::nanoseconds, "total.service_latency.p99.95", "total"},
        {"rate.achieved", MetricUnit::ratio, "rate.achieved", ""},
        {"rate.unissued", MetricUnit::count, "rate.unissued", ""},
        {"merged.read.latency.p99.90", MetricUnit::nanoseconds, "merged.read.latency.p99.9", "read"},
        {"merged.sync.latency.p99.95", MetricUnit::nanoseconds, "merged.sync.latency.p99.95", "sync"},
        {"merged.total.operations", MetricUnit::count, "merged.total.operations", "total"},
        {"runner.lateness.p99", MetricUnit::nanoseconds, "runner.lateness.p99", ""},
        {"cpu.per_io", MetricUnit::nanoseconds, "cpu.per_io", ""}}) {
    CAPTURE(row.name);
    const auto info = find_metric(row.name);
    REQUIRE(info);
    CHECK(info->row->unit == row.unit);
    CHECK(info->name == row.canonical);
    CHECK(info->direction == row.direction);
    CHECK_FALSE(info->row->later);
  }
}

TEST_CASE("metric names: names of later versions are known as such") {
  for (const std::string name :
       {"device.read.bytes", "device.utilization", "cache.hit_ratio", "steady_state.range", "search.knee"}) {
    CAPTURE(name);
    const auto info = find_metric(name);
    REQUIRE(info);
    CHECK(info->row->later);
  }
}

TEST_CASE("metric names: everything else is unknown") {
  for (const std::string name : {"",
                                 ".",
                                 "read",
                                 "read.",
                                 "read.iop",
                                 "Read.iops",
                                 "read.iops ",
                                 "X.iops",
                                 "X.latency.pNN",
                                 "read.service_latency.",
                                 "read.service_latency.p0",
                                 "read.service_latency.pNN",
                                 "rate.",
                                 "rate.achievable",
                                 "runner.lateness.p95",
                                 "sync.bytes",
                                 "sync.bandwidth",
                                 "read.stall.max",
                                 "read.latency.",
                                 "read.latency.p",
                                 "read.latency.p0",
                                 "read.latency.p0.000001",
                                 "read.latency.p101",
                                 "read.latency.p100.1",
                                 "read.latency.p099",
                                 "read.latency.p99.",
                                 "read.latency.p99.999999",
                                 "read.latency.p-1",
                                 "read.latency.p9 9",
                                 "read.latency.pNN",
                                 "device.",
                                 "readiops",
                                 "merged",
                                 "merged.read.iops",
                                 "merged.read.service_latency.p99",
                                 "merged.total.stall.max",
                                 "merged.merged.read.latency.p99",
                                 "total.latency.p99.9.9"}) {
    CAPTURE(name);
    CHECK_FALSE(find_metric(name));
  }
}

TEST_CASE("metric names: the nearest name is offered") {
  CHECK(nearest_metric("read.iop") == "read.iops");
  CHECK(nearest_metric("write.latencyp99") == "write.latency.p99");
  CHECK(nearest_metric("queue_depth.maen") == "queue_depth.mean");
  CHECK(nearest_metric("something else entirely").empty());
}

TEST_CASE("metric names: each is unique, found, and carries a meaning") {
  std::set<std::string> seen;
  for (const std::string& name : metric_names()) {
    CAPTURE(name);
    CHECK(seen.insert(name).second);
    const auto info = find_metric(name);
    REQUIRE(info);
    CHECK(info->name == name);
    CHECK_FALSE(info->row->meaning.empty());
  }
}

TEST_CASE("metric names: percentile labels round-trip") {
  for (const std::string label : {"p50", "p99", "p99.9", "p99.99999", "p0.00001", "p100", "p5"}) {
    CAPTURE(label);
    const auto percent = parse_percentile(label);
    REQUIRE(percent);
    CHECK(percentile_label(*percent) == label);
  }
  CHECK(parse_percentile("p99.9") == 99'900'000);
}

TEST_CASE("metric names: values are shown in the unit of the metric") {
  CHECK(format_metric(14910, MetricUnit::per_second) == "14,910/s");
  CHECK(format_metric(512e6, MetricUnit::bytes_per_second) == "512 MB/s");
  CHECK(format_metric(85'300, MetricUnit::nanoseconds) == "85.3 us");
  CHECK(format_metric(0.125, MetricUnit::ratio) == "12.5 %");
  CHECK(format_metric(31.96, MetricUnit::depth) == "31.96");
  CHECK(format_metric(4096, MetricUnit::bytes) == "4 KiB");
  CHECK(format_metric(3, MetricUnit::count) == "3");
}

TEST_CASE("metric names: docs/metrics.md has every pattern, unit and meaning of the table") {
  std::ifstream file(DISKPROOF_SOURCE_DIR "/docs/metrics.md");
  std::stringstream text;
  text << file.rdbuf();
  REQUIRE_FALSE(text.str().empty());
  for (const MetricRow& row : metric_rows()) {
    CAPTURE(row.pattern);
    std::string line = "| `" + std::string(row.pattern) + "` | ";
    if (!row.later) line += std::string(to_string(row.unit)) + " | ";
    const auto at = text.str().find(line);
    REQUIRE(at != std::string::npos);
    const std::string rest = text.str().substr(at, text.str().find('\n', at) - at);
    CHECK(rest.find(std::string(row.meaning)) != std::string::npos);
  }
}

}  // namespace
}  // namespace diskproof
