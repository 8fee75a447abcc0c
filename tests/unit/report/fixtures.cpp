// Values are made up but consistent: sums, means and series fit together.
#include "unit/report/fixtures.hpp"

#include <algorithm>
#include <stdexcept>

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
  phase.final_sync = kind == PhaseKind::layout;
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

struct Load {
  Direction direction;
  std::uint64_t iops;
  std::uint64_t latency;  // ns
};

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
  for (const Load& load : loads)
    add_direction(*data, run.metrics, load.direction, plan.block_size, load.iops, load.latency);
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

void judge(PhaseReport& phase, std::size_t index, Outcome outcome, double observed, double bound, std::string reason) {
  ThresholdResult& result = phase.thresholds.at(index);
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
  report.preparation = {{"create data", "data", Outcome::pass, "", 0.002},
                        {"remove data", "data", Outcome::pass, "", 0.011}};
  return report;
}

RunReport pass_run() {
  RunReport report = base_run();
  report.outcome = Outcome::pass;
  report.exit_code = 0;
  const auto& plans = report.plan.phases;
  report.phases = {
      measured(plans[0], "2026-11-30T12:00:00Z", {{Direction::write, 1200, 5'900'000}}),
      measured(plans[1], "2026-11-30T12:00:01Z", {{Direction::write, 2950, 512'000}}),
      measured(plans[2], "2026-11-30T12:00:05Z", {{Direction::read, 2100, 480'000}, {Direction::write, 900, 250'000}})};
  judge(report.phases[1], 0, Outcome::pass, 2950, 2850,
        "write.iops was 2,950/s, required at least 2,850/s, 95 % of the limit 3,000/s");
  judge(report.phases[1], 1, Outcome::pass, 2950, 3150,
        "write.iops was 2,950/s, required at most 3,150/s, 105 % of the limit 3,000/s");
  judge(report.phases[2], 0, Outcome::pass, 2100, 2000, "read.iops was 2,100/s, required at least 2,000/s");
  judge(report.phases[2], 1, Outcome::pass, 4'800'000, 20'000'000,
        "read.latency.p99.9 was 4.8 ms, required at most 20 ms");
  return report;
}

RunReport fail_run() {
  RunReport report = pass_run();
  report.outcome = Outcome::fail;
  report.exit_code = 1;
  PhaseReport& write = report.phases[1];
  write = measured(report.plan.phases[1], "2026-11-30T12:00:01Z", {{Direction::write, 3300, 512'000}});
  judge(write, 0, Outcome::pass, 3300, 2850,
        "write.iops was 3,300/s, required at least 2,850/s, 95 % of the limit 3,000/s");
  judge(write, 1, Outcome::fail, 3300, 3150,
        "write.iops was 3,300/s, required at most 3,150/s, 105 % of the limit 3,000/s");
  write.findings = {{"over_limit", FindingLevel::warn, "write.iops 3,300 is 10 % above the limit 3,000",
                     "what is above the limit is not guaranteed; do not plan with it"}};
  report.phases[2].outcome = Outcome::fail;
  judge(report.phases[2], 1, Outcome::fail, 24'000'000, 20'000'000,
        "read.latency.p99.9 was 24 ms, required at most 20 ms");
  return report;
}

RunReport killed_run() {
  RunReport report = base_run();
  report.outcome = Outcome::error;
  report.exit_code = 2;
  report.seconds = 2.5;
  const auto& plans = report.plan.phases;
  report.phases = {measured(plans[0], "2026-11-30T12:00:00Z", {{Direction::write, 1200, 5'900'000}}),
                   unmeasured(plans[1], Outcome::error, "the phase's process was ended by signal 11 (SIGSEGV)"),
                   unmeasured(plans[2], Outcome::error, "not run because write_iops ended in error")};
  PhaseReport& killed = report.phases[1];
  killed.started_at = "2026-11-30T12:00:01Z";
  killed.seconds = 1.25;
  killed.log_tail = "io_uring: ring of 64 entries\nassertion failed: tag < depth\n";
  return report;
}

RunReport stuck_run() {
  RunReport report = killed_run();
  PhaseReport& stuck = report.phases[1];
  stuck.reason = "an I/O did not complete within 60 s and the phase's process could not be ended";
  stuck.stuck = StuckIo{0, 17, 1'048'576, 60'100'000'000};
  stuck.io_errors = {{Direction::write, 8192, 4096, 5, 5, "EIO: Input/output error"}};
  stuck.log_tail.clear();
  for (PhaseReport* phase : {&report.phases[1], &report.phases[2]}) {
    if (phase != &stuck) phase->reason = "not run because write_iops left I/O in flight on data";
    for (ThresholdResult& result : phase->thresholds) result.reason = phase->reason;
  }
  report.preparation[1].outcome = Outcome::error;
  report.preparation[1].reason = "data still has I/O in flight; run diskproof cleanup when it has ended";
  return report;
}

RunReport interrupted_run() {
  RunReport report = base_run();
  report.outcome = Outcome::error;
  report.exit_code = 130;
  report.reason = "interrupted by SIGINT";
  report.seconds = 1.5;
  const auto& plans = report.plan.phases;
  report.phases = {measured(plans[0], "2026-11-30T12:00:00Z", {{Direction::write, 1200, 5'900'000}}),
                   unmeasured(plans[1], Outcome::error, "interrupted by SIGINT after 0.7 s"),
                   unmeasured(plans[2], Outcome::error, "not run because the run was interrupted")};
  report.phases[1].started_at = "2026-11-30T12:00:01Z";
  report.phases[1].seconds = 0.7;
  return report;
}

RunReport inconclusive_run() {
  RunReport report = pass_run();
  report.outcome = Outcome::inconclusive;
  report.exit_code = 5;
  report.phases[2].outcome = Outcome::inconclusive;
  judge(report.phases[2], 1, Outcome::inconclusive, 4'800'000, 20'000'000,
        "read.latency.p99.9 needs 10000 operations to have 10 beyond it, 6300 were measured");
  return report;
}

RunReport invalid_run() {
  RunReport report = pass_run();
  report.outcome = Outcome::error;
  report.exit_code = 2;
  PhaseReport& mixed = report.phases[2];
  mixed.outcome = Outcome::error;
  mixed.findings = {
      {"on_tmpfs", FindingLevel::error, "/srv/data.bin lies on tmpfs", "name a file on the disk to be measured"},
      {"capped", FindingLevel::none, "disk limit 30000 unreachable, instance 15000", ""}};
  report.findings = {
      {"nothing_gated", FindingLevel::warn, "the job has no thresholds", "add thresholds to its phases"}};
  return report;
}

RunReport refused_run() {
  RunReport report = base_run();
  report.outcome = Outcome::error;
  report.exit_code = 4;
  report.reason = "refused: /srv/data.bin exists and is not ours; add overwrite: true to disks.data to lose it";
  report.seconds = 0.004;
  report.preparation[0].outcome = Outcome::error;
  report.preparation[0].reason = "/srv/data.bin exists and is not ours";
  report.preparation[1].outcome = Outcome::skipped;
  report.preparation[1].reason = "nothing was created";
  for (const PhasePlan& plan : report.plan.phases) {
    report.phases.push_back(unmeasured(plan, Outcome::error, "not run because the disk data was refused"));
  }
  return report;
}

RunReport skipped_run() {
  RunReport report = pass_run();
  report.phases[1] = unmeasured(report.plan.phases[1], Outcome::skipped, "left out by --only mixed");
  return report;
}

// Whatever an engine, a file name or a job could contain.
RunReport hostile_run() {
  const std::string nasty =
      "\x1B[31mred\x1B[0m ]]> <b>&\"' \x01\x7F \xC3\x28 \xED\xA0\x80 \xEF\xBF\xBE \xC2\x9B tab\tline\nend" +
      std::string(1, '\0');
  RunReport report = stuck_run();
  report.plan.job_name = "hostile <&> \xFF";
  report.plan.labels = {{"k\x02<", nasty}};
  report.job_text = nasty;
  report.host.hostname = nasty;
  report.plan.phases[1].name = report.phases[1].name = nasty;
  report.phases[1].reason = nasty;
  report.phases[1].log_tail = nasty;
  report.phases[1].io_errors[0].text = nasty;
  report.phases[1].findings = {{"on_tmpfs", FindingLevel::error, nasty, nasty}};
  for (ThresholdResult& result : report.phases[1].thresholds) result.check = result.reason = nasty;
  report.disks[0].path = nasty;
  report.preparation[0] = {nasty, "data", Outcome::error, nasty, 0.1};
  report.findings = {{"nothing_gated", FindingLevel::warn, nasty, nasty}};
  return report;
}

}  // namespace

const std::vector<Fixture>& fixtures() {
  static const std::vector<Fixture> all{
      {"pass.exit0", pass_run()},
      {"fail.exit1", fail_run()},
      {"killed.exit2", killed_run()},
      {"stuck.exit2", stuck_run()},
      {"invalid.exit2", invalid_run()},
      {"refused.exit4", refused_run()},
      {"inconclusive.exit5", inconclusive_run()},
      {"skipped.exit0", skipped_run()},
      {"interrupted.exit130", interrupted_run()},
      {"hostile.exit2", hostile_run()},
  };
  return all;
}

const RunReport& fixture(const std::string& name) {
  const auto found = std::ranges::find(fixtures(), name, &Fixture::name);
  if (found == fixtures().end()) throw std::logic_error("no fixture " + name);
  return found->report;
}

}  // namespace diskproof::testing
