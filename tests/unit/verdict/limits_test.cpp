// Which limit is the tightest, for mixes and block sizes of all kinds.
#include "verdict/limits.hpp"

#include <doctest/doctest.h>
#include <string>
#include <vector>

namespace diskproof {
namespace {

constexpr double kKiB = 1024;

LoadShape mix(double read, double write, double block) {
  return planned_shape({read, write, 0}, static_cast<std::uint64_t>(block));
}

// Reads of 4 KiB and writes of 64 KiB, half and half.
LoadShape two_blocks() {
  LoadShape shape;
  shape.parts[0] = {0.5, 4 * kKiB};
  shape.parts[1] = {0.5, 64 * kKiB};
  shape.block = 34 * kKiB;
  return shape;
}

std::optional<HeldLimit> tightest(const std::vector<LimitGroup>& groups, const std::string& metric,
                                  const LoadShape& shape, const std::optional<std::string>& group = {}) {
  return tightest_limit(groups, *find_metric(metric), shape, group);
}

TEST_CASE("limits: the tightest of all groups holds and is named") {
  const LimitGroup gcp{"", {{"read.iops", 30000}, {"write.iops", 30000}}};
  const LimitGroup instance{"instance", {{"total.iops", 15000}}};
  const LimitGroup link{"link", {{"total.bandwidth", 100e6}}};
  const LimitGroup throughput{"", {{"read.bandwidth", 240e6}}};
  struct Row {
    std::string name;
    std::vector<LimitGroup> groups;
    std::string metric;
    LoadShape shape;
    double value;
    std::string group, entry;
  };
  for (const Row& row : {Row{"cloud disk, pure write: the instance holds",
                             {gcp, instance},
                             "write.iops",
                             mix(0, 100, 4096),
                             15000,
                             "instance",
                             "total.iops"},
                         Row{"cloud disk, half and half: its share of the instance",
                             {gcp, instance},
                             "write.iops",
                             mix(50, 50, 4096),
                             7500,
                             "instance",
                             "total.iops"},
                         Row{"cloud disk, half and half: total",
                             {gcp, instance},
                             "total.iops",
                             mix(50, 50, 4096),
                             15000,
                             "instance",
                             "total.iops"},
                         Row{"disk alone, half and half: total is what its slowest direction allows",
                             {gcp},
                             "total.iops",
                             mix(50, 50, 4096),
                             60000,
                             "",
                             "read.iops"},
                         Row{"disk alone, 70/30", {gcp}, "total.iops", mix(70, 30, 4096), 30000 / 0.7, "", "read.iops"},
                         Row{"bandwidth over block, small block",
                             {gcp, throughput},
                             "read.iops",
                             mix(100, 0, 4 * kKiB),
                             30000,
                             "",
                             "read.iops"},
                         Row{"bandwidth over block, large block",
                             {gcp, throughput},
                             "read.iops",
                             mix(100, 0, 64 * kKiB),
                             240e6 / (64 * kKiB),
                             "",
                             "read.bandwidth"},
                         Row{"a read limit says nothing of writes",
                             {gcp, throughput},
                             "write.iops",
                             mix(50, 50, 64 * kKiB),
                             30000,
                             "",
                             "write.iops"},
                         Row{"IOPS limit seen as bandwidth",
                             {gcp},
                             "read.bandwidth",
                             mix(100, 0, 4 * kKiB),
                             30000 * 4 * kKiB,
                             "",
                             "read.iops"},
                         Row{"bandwidth limit as it is",
                             {gcp, throughput},
                             "read.bandwidth",
                             mix(100, 0, 64 * kKiB),
                             240e6,
                             "",
                             "read.bandwidth"},
                         Row{"instance seen as a direction's bandwidth",
                             {gcp, instance},
                             "write.bandwidth",
                             mix(50, 50, 4 * kKiB),
                             7500 * 4 * kKiB,
                             "instance",
                             "total.iops"},
                         Row{"link over total IOPS",
                             {gcp, link},
                             "total.iops",
                             mix(50, 50, 8 * kKiB),
                             100e6 / (8 * kKiB),
                             "link",
                             "total.bandwidth"},
                         Row{"link over a direction's IOPS",
                             {gcp, link},
                             "read.iops",
                             mix(50, 50, 8 * kKiB),
                             50e6 / (8 * kKiB),
                             "link",
                             "total.bandwidth"},
                         Row{"link with blocks of two sizes",
                             {link},
                             "write.iops",
                             two_blocks(),
                             50e6 / (34 * kKiB),
                             "link",
                             "total.bandwidth"},
                         Row{"link with blocks of two sizes as bandwidth",
                             {link},
                             "write.bandwidth",
                             two_blocks(),
                             100e6 * 64 / 68,
                             "link",
                             "total.bandwidth"},
                         Row{"minimum over intervals is limited like IOPS",
                             {gcp},
                             "read.iops.min",
                             mix(100, 0, 4096),
                             30000,
                             "",
                             "read.iops"}}) {
    CAPTURE(row.name);
    const auto held = tightest(row.groups, row.metric, row.shape);
    REQUIRE(held);
    CHECK(held->value == doctest::Approx(row.value));
    CHECK(held->group == row.group);
    CHECK(held->metric == row.entry);
  }
}

TEST_CASE("limits: one group can be asked for") {
  const std::vector<LimitGroup> groups{{"", {{"write.iops", 30000}}}, {"instance", {{"total.iops", 15000}}}};
  CHECK(tightest(groups, "write.iops", mix(0, 100, 4096), "instance")->value == 15000);
  CHECK(tightest(groups, "write.iops", mix(0, 100, 4096), "")->value == 30000);
  CHECK_FALSE(tightest(groups, "write.iops", mix(0, 100, 4096), "link"));
}

TEST_CASE("limits: none applies where there is none, or the load does not tell") {
  const std::vector<LimitGroup> reads{{"", {{"read.iops", 30000}, {"read.latency", 5}, {"nonsense", 1}}}};
  CHECK_FALSE(tightest({}, "read.iops", mix(100, 0, 4096)));
  CHECK_FALSE(tightest(reads, "write.iops", mix(50, 50, 4096)));
  CHECK_FALSE(tightest(reads, "total.iops", mix(0, 100, 4096)));
  CHECK_FALSE(tightest({{"", {{"read.bandwidth", 1e6}}}}, "read.iops", LoadShape{}));
  CHECK_FALSE(tightest({{"", {{"total.iops", 1e6}}}}, "write.iops", mix(100, 0, 4096)));
}

TEST_CASE("limits: the shape of a load is what was measured") {
  PhaseMetrics metrics;
  metrics.set("read.operations", 300);
  metrics.set("read.bytes", 300 * 4096.0);
  metrics.set("write.operations", 90);
  metrics.set("write.errors", 10);
  metrics.set("write.bytes", 90 * 8192.0);
  metrics.set("total.operations", 390);
  metrics.set("total.errors", 10);
  metrics.set("total.bytes", 300 * 4096.0 + 90 * 8192.0);
  const LoadShape shape = measured_shape(metrics);
  CHECK(shape.parts[0].share == doctest::Approx(0.75));
  CHECK(shape.parts[1].share == doctest::Approx(0.25));
  CHECK(shape.parts[2].share == 0);
  CHECK(shape.parts[1].block == 8192);
  CHECK(shape.parts[2].block == 0);
  CHECK(shape.block == doctest::Approx((300 * 4096.0 + 90 * 8192.0) / 390));
  CHECK(measured_shape(PhaseMetrics{}).block == 0);
}

TEST_CASE("limits: the one that holds is described with its group and entry") {
  CHECK(describe({15000, "instance", "total.iops"}, MetricUnit::per_second) == "limit 15,000/s (instance total.iops)");
  CHECK(describe({240e6, "", "read.bandwidth"}, MetricUnit::bytes_per_second) ==
        "limit 240 MB/s (disk read.bandwidth)");
}

}  // namespace
}  // namespace diskproof
