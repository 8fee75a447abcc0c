// One run per ending.
#include "unit/report/fixtures.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "metrics/members.hpp"
#include "metrics/runs.hpp"
#include "unit/report/fixture_parts.hpp"

namespace diskproof::testing {
namespace {

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

// Killed after an interval of it had arrived.
RunReport lost_run() {
  RunReport report = killed_run();
  const PhasePlan& plan = report.plan.phases[1];
  PhaseReport& lost = report.phases[1];
  const PhaseReport whole = measured(plan, "", {{Direction::write, 3000, 330'000}});
  lost.data = std::make_shared<const RunData>(partial_run({whole.data->intervals[0]}, plan.warmup, plan.interval_grid));
  lost.metrics = compute_metrics(*lost.data, {});
  lost.reason += "; what is reported of it is what had arrived: 1 interval";
  for (ThresholdResult& result : lost.thresholds) result.reason = lost.reason;
  lost.runs = {{.seed = plan.seed,
                .started_at = lost.started_at,
                .seconds = lost.seconds,
                .metrics = lost.metrics,
                .intervals = lost.data->intervals}};
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
  report.preparation[3].outcome = Outcome::error;
  report.preparation[3].reason = "data still has I/O in flight; run diskproof cleanup when it has ended";
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
  report.phases[1].interrupted = true;
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
  report.preparation.resize(1);
  report.preparation[0].outcome = Outcome::error;
  report.preparation[0].reason = "/srv/data.bin exists and is not ours";
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

// Three runs, of which the first does not count; each with a seed of its own.
RunReport repeated_run() {
  RunReport report = fail_run();
  PhasePlan& plan = report.plan.phases[1];
  plan.repeat = {.count = 3, .interval = 2'000'000'000, .discard = 1, .score = Score::best};
  PhaseReport& phase = report.phases[1];
  std::vector<std::shared_ptr<const RunData>> data;
  phase.runs.clear();
  for (const std::uint64_t iops : {3400U, 2950U, 3300U}) {
    const PhaseReport run = measured(plan, "2026-11-30T12:00:01Z", {{Direction::write, iops, 512'000}});
    phase.runs.push_back(run.runs.front());
    phase.runs.back().seed = seed_of_run(plan.seed, static_cast<std::uint32_t>(data.size()));
    phase.runs.back().discarded = data.empty();
    data.push_back(run.data);
  }
  const std::array<const RunData*, 2> counted{data[1].get(), data[2].get()};
  phase.data = std::make_shared<const RunData>(join_runs(counted));
  const std::array<const PhaseMetrics*, 2> metrics{&phase.runs[1].metrics, &phase.runs[2].metrics};
  phase.metrics = score_runs(metrics, plan.repeat.score);
  add_merged(compute_metrics(*phase.data, {}), phase.metrics);
  phase.seconds = 12.036;
  for (ThresholdResult& result : phase.thresholds) result.runs = {2950, 3300};
  return report;
}

// Two phases at the same time: in common they were too slow.
RunReport group_run() {
  RunReport report = pass_run();
  PhasePlan group;
  group.name = "together";
  group.kind = PhaseKind::group;
  group.parallel = true;
  group.disk = "data";
  group.interval_grid = 1'000'000'000;
  group.thresholds = {{"total.iops >= 9000", false}};
  std::vector<Member> members;
  for (std::size_t i = 1; i <= 2; ++i) {
    report.plan.phases[i].group = group.name;
    group.members.push_back(report.plan.phases[i].name);
    members.push_back({report.phases[i].data.get(), report.plan.phases[i].warmup});
  }
  report.plan.phases.push_back(group);
  PhaseReport phase = unmeasured(group, Outcome::fail, "");
  phase.kind = "group";
  phase.started_at = report.phases[1].started_at;
  phase.seconds = report.phases[1].seconds;
  phase.data = std::make_shared<const RunData>(sum_members(members));
  phase.metrics = compute_metrics(*phase.data, {});
  const auto common = common_window(members);
  phase.common =
      CommonWindow{common->window_begin, common->window_end, compute_metrics(*common, {}), common->intervals};
  judge(phase, 0, Outcome::fail, 5950, 9000, "in the common window: total.iops was 5,950/s, required at least 9,000/s");
  report.phases.push_back(phase);
  report.outcome = Outcome::fail;
  report.exit_code = 1;
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
      {"pass.exit0", pass_run()},       {"fail.exit1", fail_run()},
      {"killed.exit2", killed_run()},   {"lost.exit2", lost_run()},
      {"stuck.exit2", stuck_run()},     {"invalid.exit2", invalid_run()},
      {"refused.exit4", refused_run()}, {"inconclusive.exit5", inconclusive_run()},
      {"skipped.exit0", skipped_run()}, {"interrupted.exit130", interrupted_run()},
      {"hostile.exit2", hostile_run()}, {"repeated.exit1", repeated_run()},
      {"group.exit1", group_run()},
  };
  return all;
}

const RunReport& fixture(const std::string& name) {
  const auto found = std::ranges::find(fixtures(), name, &Fixture::name);
  if (found == fixtures().end()) throw std::logic_error("no fixture " + name);
  return found->report;
}

}  // namespace diskproof::testing
