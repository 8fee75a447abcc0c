// Values are made up but consistent: sums, means and series fit together.
#include "unit/report/fixture_parts.hpp"

#include <memory>
#include <utility>

namespace diskproof::testing {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kMiB = 1024 * 1024;
constexpr std::uint64_t kBlock = 4096;

PhasePlan planned(const std::string& name, PhaseKind kind, OperationMix operations, std::vector<std::string> checks) {
  PhasePlan phase;
  phase.name = name;
  phase.kind = kind;
  phase.disk = "data";
  phase.engine.name = "io_uring";
  phase.engine.version = "0.1.0";
  phase.engine.path = "/usr/lib/diskproof/diskproof_engine_io_uring.so";
  phase.engine.options = {{"sqpoll", "false"}};
  phase.targets = {{"/srv/data.bin", 64 * kMiB}};
  phase.access = kind == PhaseKind::layout ? Access::sequential : Access::random;
  phase.operations = operations;
  phase.region_size = 64 * kMiB;
  phase.block_size = kind == PhaseKind::layout ? kMiB : kBlock;
  phase.queue_depth = kind == PhaseKind::layout ? 8 : 64;
  phase.fsync.end = kind == PhaseKind::layout;
  phase.seed = 42;
  phase.interval_grid = kSecond;
  phase.stop = kind == PhaseKind::layout ? StopRule{StopRule::Kind::bytes, 64 * kMiB}
                                         : StopRule{StopRule::Kind::duration, 3 * kSecond};
  phase.warmup = kind == PhaseKind::layout ? 0 : kSecond;
  phase.timeout = 68 * kSecond;
  phase.io_timeout = 60 * kSecond;
  phase.limits = {{"", {{"write.iops", 3000}}}};
  for (std::string& check : checks) phase.thresholds.push_back({std::move(check), false});
  return phase;
}

constexpr const char* kWriteCheck = "write.iops >= 95% of limit";
constexpr const char* kOverCheck = "write.iops <= 105% of limit";
constexpr const char* kReadCheck = "read.iops >= 2000";
constexpr const char* kTailCheck = "read.latency.p99.9 <= 20ms";

Plan acceptance_plan() {
  Plan plan;
  plan.job_file = "jobs/acceptance.yaml";
  plan.job_name = "acceptance";
  plan.description = "Does the disk hold its limits?";
  plan.labels = {{"build", "1234"}, {"rack", "b7"}};
  plan.run_id = "20261130-120000-1f";
  plan.out_dir = "/srv/out/acceptance";
  plan.tool_version = "0.1.0";
  plan.memory_limit = 1024 * kMiB;
  DiskPlan disk;
  disk.name = "data";
  disk.path = "/srv/data.bin";
  disk.limits = {{"", {{"write.iops", 3000}}}};
  disk.files = {"/srv/data.bin"};
  disk.file_size = 64 * kMiB;
  plan.disks = {disk};
  plan.phases = {planned("layout/data", PhaseKind::layout, {0, 100, 0}, {}),
                 planned("write_iops", PhaseKind::measure, {0, 100, 0}, {kWriteCheck, kOverCheck}),
                 planned("mixed", PhaseKind::measure, {70, 30, 0}, {kReadCheck, kTailCheck})};
  plan.phases[1].thresholds[1].warn = true;
  plan.phases[2].needs = {"layout/data"};
  return plan;
}

// `seconds` rows, each with `iops` operations of `latency` and one ten times slower.
void add_direction(RunData& data, PhaseMetrics& metrics, Direction direction, std::uint64_t block, std::uint64_t iops,
                   std::uint64_t latency) {
  const auto which = static_cast<std::size_t>(direction);
  const std::string name = direction == Direction::read ? "read" : "write";
  DirectionTotals& totals = data.directions[which];
  for (Interval& row : data.intervals) {
    IntervalDirection& cells = row.directions[which];
    cells.operations = iops;
    cells.bytes = iops * block;
    cells.latency_sum = (iops - 1) * latency + 10 * latency;
    cells.latency_max = 10 * latency;
    cells.p50 = cells.p99 = latency;
    cells.p999 = 10 * latency;
    totals.operations += cells.operations;
    totals.bytes += cells.bytes;
    for (std::uint64_t i = 1; i < iops; ++i) totals.latency.record(latency);
    totals.latency.record(10 * latency);
  }
  metrics.set(name + ".operations", static_cast<double>(totals.operations));
  metrics.set(name + ".bytes", static_cast<double>(totals.bytes));
  metrics.set(name + ".errors", 0);
  metrics.set(name + ".iops", static_cast<double>(iops));
  metrics.set(name + ".bandwidth", static_cast<double>(iops * block));
  metrics.set(name + ".latency.mean",
              static_cast<double>(totals.latency.sum()) / static_cast<double>(totals.operations));
  metrics.set(name + ".latency.max", static_cast<double>(10 * latency));
  metrics.set(name + ".latency.p50", static_cast<double>(latency));
  metrics.set(name + ".latency.p99", static_cast<double>(latency));
}

}  // namespace

PhaseReport unmeasured(const PhasePlan& plan, Outcome outcome, const std::string& reason) {
  PhaseReport phase;
  phase.name = plan.name;
  phase.kind = plan.kind == PhaseKind::layout ? "layout" : "measure";
  phase.outcome = outcome;
  phase.reason = reason;
  phase.disk = plan.disk;
  phase.engine = plan.engine.name;
  for (const Threshold& threshold : plan.thresholds) {
    ThresholdResult result;
    result.check = threshold.check;
    result.metric = threshold.check.substr(0, threshold.check.find(' '));
    result.warn = threshold.warn;
    result.outcome = outcome;
    result.reason = reason;
    phase.thresholds.push_back(result);
  }
  return phase;
}

PhaseReport measured(const PhasePlan& plan, const std::string& started_at, const std::vector<Load>& loads) {
  PhaseReport phase = unmeasured(plan, Outcome::pass, "");
  auto data = std::make_shared<RunData>();
  data->window_begin = plan.warmup;
  data->window_end = plan.warmup + 3 * kSecond;
  data->interval_grid = plan.interval_grid;
  for (std::int64_t index = 0; index < 3; ++index) {
    Interval row;
    row.index = index;
    row.duration = kSecond;
    data->intervals.push_back(row);
  }
  RunRecord run;
  run.seed = plan.seed;
  run.started_at = started_at;
  run.seconds = 4.012;
  double iops = 0;
  for (const Load& load : loads) {
    add_direction(*data, run.metrics, load.direction, plan.block_size, load.iops, load.latency);
    iops += static_cast<double>(load.iops);
  }
  run.metrics.set("total.iops", iops);
  run.metrics.set("total.bandwidth", iops * static_cast<double>(plan.block_size));
  if (plan.warmup > 0) {
    data->warmup_intervals.assign(data->intervals.begin(), data->intervals.begin() + 1);
    data->warmup_intervals.front().index = -1;
  }
  data->drain = {
      .operations = plan.queue_depth, .latency_max = 2'000'000, .direction_latency_max = {}, .finished = true};
  data->in_flight_integral = data->in_window_time = 1.5e9;
  run.metrics.set("queue_depth.mean", 0.5);
  run.intervals = data->intervals;
  phase.metrics = run.metrics;
  phase.runs = {run};
  phase.data = data;
  phase.started_at = started_at;
  phase.seconds = plan.kind == PhaseKind::layout ? 0.75 : 4.012;
  return phase;
}

void judge(PhaseReport& phase, std::size_t threshold, Outcome outcome, double observed, double bound,
           std::string reason) {
  ThresholdResult& result = phase.thresholds.at(threshold);
  result.observed = observed;
  result.bound = bound;
  result.outcome = outcome;
  result.reason = std::move(reason);
  if (result.check.find("limit") != std::string::npos) result.limit_metric = "write.iops";
}

RunReport base_run() {
  RunReport report;
  report.tool_version = "0.1.0";
  report.started_at = "2026-11-30T12:00:00Z";
  report.seconds = 9.25;
  report.plan = acceptance_plan();
  report.job_text = "diskproof: 1\nname: acceptance\n";
  report.host = {"ci-3", "Debian GNU/Linux 12", "Linux 6.18.0", "EPYC 9554", 2, 8'589'934'592};
  report.disks = {{"data", "file", "/srv/data.bin", "ext4", "/srv", "/dev/vdb1", "rw,relatime", 1'073'741'824'000}};
  report.preparation = {{"guard data", "data", Outcome::pass, "", 0.001},
                        {"free space", "", Outcome::pass, "", 0.001},
                        {"create data", "data", Outcome::pass, "", 0.002},
                        {"remove /srv/data.bin", "data", Outcome::pass, "", 0.011}};
  return report;
}

}  // namespace diskproof::testing
