// What a phase's numbers come to.
#include "cli/judge_phase.hpp"

#include <doctest/doctest.h>

#include "cli/judge_group.hpp"
#include "run_samples.hpp"

namespace diskproof {
namespace {

const DiskFacts on_memory = [] {
  DiskFacts facts;
  facts.filesystem = "tmpfs";
  return facts;
}();

const Finding* find_finding_in(const PhaseReport& report, const std::string& name) {
  for (const Finding& finding : report.findings) {
    if (finding.name == name) return &finding;
  }
  return nullptr;
}

TEST_CASE("judge phase: thresholds decide a measured phase") {
  struct Row {
    const char* check;
    Outcome outcome;
  };
  for (const Row& row : {Row{"read.iops >= 4000", Outcome::pass},
                         {"read.iops >= 4001", Outcome::fail},
                         {"read.latency.p99.99 <= 5ms", Outcome::inconclusive}}) {
    CAPTURE(row.check);
    const Plan plan = sample_plan({row.check});
    const PhaseReport report = judge_phase(plan.phases[0], sample_result(4000));
    CHECK(report.outcome == row.outcome);
    REQUIRE(report.thresholds.size() == 1);
    CHECK(report.thresholds[0].outcome == row.outcome);
    CHECK(report.metrics.find("read.iops") == 4000);
    CHECK(report.runs.size() == 1);
  }
}

TEST_CASE("judge phase: what did not complete is an error, with its data and every threshold") {
  const Plan plan = sample_plan({"read.iops >= 1", "read.iops >= 2"});
  PhaseResult result = sample_result(100);
  result.completed = false;
  result.reason = "the child was ended by SIGSEGV";
  const PhaseReport report = judge_phase(plan.phases[0], result);
  CHECK(report.outcome == Outcome::error);
  CHECK(report.reason == "the child was ended by SIGSEGV");
  CHECK(report.metrics.find("read.operations") == 100);
  REQUIRE(report.thresholds.size() == 2);
  for (const ThresholdResult& threshold : report.thresholds) CHECK(threshold.outcome == Outcome::error);
}

TEST_CASE("judge phase: completed without data is an error") {
  PhaseResult result;
  result.completed = true;
  const PhaseReport report = judge_phase(sample_plan({"read.iops >= 1"}).phases[0], result);
  CHECK(report.outcome == Outcome::error);
  CHECK(report.runs.empty());
  CHECK(report.metrics.all().empty());
}

TEST_CASE("judge phase: a window in which nothing succeeded is an error, whatever is asked of it") {
  for (const std::vector<std::string>& thresholds :
       {std::vector<std::string>{}, {"total.stall.max <= 10s", "read.errors >= 0"}}) {
    const Plan plan = sample_plan(thresholds);
    const PhaseReport report = judge_phase(plan.phases[0], sample_result(0));
    CHECK(report.outcome == Outcome::error);
    CHECK(report.reason.starts_with("no operation succeeded"));
    for (const ThresholdResult& threshold : report.thresholds) CHECK(threshold.outcome == Outcome::error);
  }
}

TEST_CASE("judge phase: errors of I/O count against max_errors") {
  Plan plan = sample_plan({});
  const PhaseResult good = sample_result(4000);
  auto data = std::make_shared<RunData>(*good.data);
  data->directions[0].errors = data->intervals[0].directions[0].errors = 3;
  data->error_examples.push_back(
      {.direction = Direction::read, .offset = 8192, .length = 4096, .code = 5, .os_code = 5, .text = "EIO"});
  PhaseResult result = good;
  result.data = data;
  const PhaseReport report = judge_phase(plan.phases[0], result);
  CHECK(report.outcome == Outcome::error);
  CHECK(report.reason == "3 operations failed, more than max_errors 0; the first: EIO at byte 8192");
  plan.phases[0].max_errors = 3;
  CHECK(judge_phase(plan.phases[0], result).reason == "");
}

TEST_CASE("judge phase: findings have their level, the job may change it") {
  Plan plan = sample_plan({"read.iops >= 1"});
  PhaseReport report = judge_phase(plan.phases[0], sample_result(4000), {.disk = &on_memory});
  REQUIRE(find_finding_in(report, "on_tmpfs") != nullptr);
  CHECK(report.outcome == Outcome::error);
  CHECK(report.reason.starts_with("on_tmpfs: "));
  plan.phases[0].findings = {{"on_tmpfs", Severity::warn}};
  report = judge_phase(plan.phases[0], sample_result(4000), {.disk = &on_memory});
  CHECK(find_finding_in(report, "on_tmpfs") != nullptr);
  CHECK(report.outcome == Outcome::pass);
  plan.phases[0].findings = {{"on_tmpfs", Severity::ignore}};
  CHECK(find_finding_in(judge_phase(plan.phases[0], sample_result(4000), {.disk = &on_memory}), "on_tmpfs") == nullptr);
  const LimitGroup throttle{.name = "", .values = {{"read.iops", 750}}};
  report = judge_phase(plan.phases[0], sample_result(4000), {.throttle = &throttle});
  REQUIRE(find_finding_in(report, "throttled_by_us") != nullptr);
  CHECK(find_finding_in(report, "throttled_by_us")->text.find("read.iops 750") != std::string::npos);
  CHECK(report.outcome == Outcome::pass);
}

TEST_CASE("judge phase: depth is asked of closed loops, punctuality of open ones") {
  Plan plan = sample_plan({"rate.achieved >= 90%", "total.service_latency.p50 <= 1ms", "runner.lateness.p99 <= 1ms"});
  plan.phases[0].queue_depth = 1000;
  PhaseReport report = judge_phase(plan.phases[0], sample_result(4000));
  CHECK(find_finding_in(report, "depth_not_reached") != nullptr);
  CHECK(find_finding_in(report, "runner_limited") == nullptr);
  CHECK(report.outcome == Outcome::error);  // nothing of a rate was measured
  PhasePlan one_at_a_time = plan.phases[0];
  one_at_a_time.queue_depth = 1;
  one_at_a_time.threads = 1000;
  CHECK(find_finding_in(judge_phase(one_at_a_time, sample_result(4000)), "depth_not_reached") == nullptr);

  PhaseResult result = sample_result(4000);
  auto data = std::make_shared<RunData>(*result.data);
  OpenLoopTotals& open_loop = data->open_loop.emplace();
  open_loop.rate = plan.phases[0].rate = 4200;
  open_loop.issued = 4000;
  open_loop.unissued = 200;
  for (int i = 0; i < 4000; ++i) {
    open_loop.service_latency[0].record(500'000);
    open_loop.lateness.record(200'000);
  }
  result.data = data;
  report = judge_phase(plan.phases[0], result);
  CHECK(find_finding_in(report, "depth_not_reached") == nullptr);
  REQUIRE(find_finding_in(report, "runner_limited") != nullptr);
  CHECK(find_finding_in(report, "runner_limited")->level == FindingLevel::warn);
  CHECK(report.outcome == Outcome::pass);
  CHECK(report.thresholds[0].observed == doctest::Approx(4000.0 / 4200));
  plan.phases[0].thresholds = {{"rate.achieved >= 99%", false}};
  CHECK(judge_phase(plan.phases[0], result).outcome == Outcome::fail);
}

TEST_CASE("judge phase: no threshold of an invalid phase passes") {
  const Plan plan = sample_plan({"read.iops >= 4000", "read.iops >= 4001"});
  const PhaseReport report = judge_phase(plan.phases[0], sample_result(4000), {.disk = &on_memory});
  CHECK(report.outcome == Outcome::error);
  REQUIRE(report.thresholds.size() == 2);
  for (const ThresholdResult& threshold : report.thresholds) {
    CHECK(threshold.outcome == Outcome::error);
    CHECK(threshold.observed == 4000);
    CHECK(threshold.reason.find("on_tmpfs") != std::string::npos);
  }
}

std::vector<FinishedRun> runs_of(std::initializer_list<std::uint64_t> operations) {
  std::vector<FinishedRun> runs;
  for (const std::uint64_t count : operations) {
    runs.push_back({.result = sample_result(count), .seed = runs.size(), .started_at = "2026-11-30T12:00:00Z"});
  }
  return runs;
}

TEST_CASE("judge phase: of several runs the thresholds judge the score and list the values") {
  Plan plan = sample_plan({"read.iops >= 4000", "merged.read.operations == 12300"});
  plan.phases[0].repeat = {.count = 4, .discard = 1};
  const PhaseReport report = judge_phase(plan.phases[0], runs_of({9000, 4000, 4300, 4000}));
  CHECK(report.outcome == Outcome::pass);
  CHECK(report.metrics.find("read.iops") == 4000);
  REQUIRE(report.thresholds.size() == 2);
  CHECK(report.thresholds[0].runs == std::vector<double>{4000, 4300, 4000});
  CHECK(report.thresholds[0].reason ==
        "read.iops was 4,000/s (median of 3 runs: 4,000/s, 4,300/s, 4,000/s), required at least 4,000/s");
  CHECK(report.thresholds[1].outcome == Outcome::pass);
  CHECK(report.thresholds[1].runs.empty());
  REQUIRE(report.runs.size() == 4);
  CHECK(report.runs[0].discarded);
  CHECK_FALSE(report.runs[1].discarded);
  CHECK(report.runs[0].metrics.find("read.iops") == 9000);
  CHECK(report.runs[2].seed == 2);
  REQUIRE(report.data);
  CHECK(report.data->directions[0].operations == 12'300);
  CHECK(report.data->intervals.size() == 3);
  CHECK(report.seconds == doctest::Approx(4 * 1.1));
}

TEST_CASE("judge phase: from the same run all metrics are of the run whose bandwidth scored") {
  Plan plan = sample_plan({"read.operations == 4300"});
  plan.phases[0].repeat = {.count = 3, .score = Score::max, .from_same_run = true};
  const PhaseReport report = judge_phase(plan.phases[0], runs_of({4000, 4300, 4000}));
  CHECK(report.outcome == Outcome::pass);
  CHECK(report.scored == 1);
  CHECK(report.metrics.find("read.operations") == 4300);
  CHECK(report.metrics.find("merged.read.operations") == 12'300);
  CHECK(report.thresholds[0].reason.find("(the run with the max bandwidth of 3: 4,000, 4,300, 4,000)") !=
        std::string::npos);
}

TEST_CASE("judge phase: an error in one run is an error of the phase, and what was measured is kept") {
  Plan plan = sample_plan({"read.iops >= 1"});
  plan.phases[0].repeat.count = 3;
  auto runs = runs_of({4000, 4000});
  runs[1].result.completed = false;
  runs[1].result.reason = "the engine crashed";
  const PhaseReport report = judge_phase(plan.phases[0], runs);
  CHECK(report.outcome == Outcome::error);
  CHECK(report.reason == "run 2 of 3: the engine crashed");
  CHECK(report.runs.size() == 2);
  CHECK(report.thresholds[0].outcome == Outcome::error);
  CHECK(judge_phase(plan.phases[0], runs_of({4000, 4000})).reason == "2 of 3 runs were done");
}

TEST_CASE("judge phase: what makes one run invalid makes the phase invalid, but not what was discarded") {
  Plan plan = sample_plan({});
  plan.phases[0].repeat = {.count = 2, .discard = 1};
  const auto unbalanced = [](std::size_t which) {
    auto runs = runs_of({4000, 4000});
    auto data = std::make_shared<RunData>(*runs[which].result.data);
    data->in_window_time *= 2;
    runs[which].result.data = data;
    return runs;
  };
  CHECK(judge_phase(plan.phases[0], unbalanced(0)).outcome == Outcome::pass);
  const PhaseReport report = judge_phase(plan.phases[0], unbalanced(1));
  CHECK(report.outcome == Outcome::error);
  CHECK(report.reason.starts_with("books_do_not_balance: run 2 of 2: "));
}

// A group of two phases that measured `first` and `second` operations in the same second.
struct GroupBench {
  std::vector<PhasePlan> plans{sample_plan({}).phases[0], sample_plan({}).phases[0]};
  std::vector<PhaseReport> phases;
  PhasePlan group;

  GroupBench(std::uint64_t first, std::uint64_t second, const std::vector<std::string>& checks) {
    plans[0].name = "one";
    plans[1].name = "two";
    for (PhasePlan& plan : plans) plan.warmup = 0;
    phases = {judge_phase(plans[0], sample_result(first)), judge_phase(plans[1], sample_result(second))};
    group.name = "both";
    group.kind = PhaseKind::group;
    group.parallel = true;
    for (const std::string& check : checks) group.thresholds.push_back({check, false});
  }
  [[nodiscard]] PhaseReport judge() const { return judge_group(group, plans, phases); }
};

TEST_CASE("judge group: its metrics are the sum, its thresholds judge the common window") {
  GroupBench bench(1000, 3000, {"read.iops >= 4000", "read.iops > 4000"});
  const PhaseReport report = bench.judge();
  CHECK(report.kind == "group");
  CHECK(report.outcome == Outcome::fail);
  CHECK(report.metrics.find("total.operations") == 4000);
  REQUIRE(report.common);
  CHECK(report.common->begin == 0);
  CHECK(report.common->end == 1'000'000'000);
  CHECK(report.common->metrics.find("read.iops") == 4000);
  CHECK(report.thresholds[0].outcome == Outcome::pass);
  CHECK(report.thresholds[0].reason == "in the common window: read.iops was 4,000/s, required at least 4,000/s");
  CHECK(report.thresholds[1].outcome == Outcome::fail);
}

TEST_CASE("judge group: an error of one phase is one of the group") {
  GroupBench bench(1000, 3000, {"read.iops >= 1"});
  bench.phases[1].outcome = Outcome::error;
  bench.phases[1].reason = "the engine crashed";
  const PhaseReport report = bench.judge();
  CHECK(report.outcome == Outcome::error);
  CHECK(report.reason == "two: the engine crashed");
  CHECK(report.thresholds[0].outcome == Outcome::error);
}

TEST_CASE("judge group: it ends as the worst of its phases, and its own thresholds stay what they are") {
  GroupBench bench(1000, 3000, {"read.iops >= 1"});
  for (const Outcome outcome : {Outcome::fail, Outcome::inconclusive}) {
    bench.phases[1].outcome = outcome;
    CHECK(bench.judge().outcome == outcome);
    CHECK(bench.judge().thresholds[0].outcome == Outcome::pass);
  }
  bench.phases[1].outcome = Outcome::skipped;
  CHECK(bench.judge().outcome == Outcome::pass);
}

TEST_CASE("judge group: where a phase was ended by abort the thresholds of the group are skipped") {
  GroupBench bench(1000, 3000, {"read.iops >= 1"});
  ThresholdResult condition;
  condition.check = "abort: read.iops < 1 for 1s";
  condition.outcome = Outcome::fail;
  bench.plans[1].aborts = {"read.iops < 1 for 1s"};
  bench.phases[1].thresholds = {condition};
  bench.phases[1].outcome = Outcome::fail;
  const PhaseReport report = bench.judge();
  CHECK(report.outcome == Outcome::fail);
  CHECK(report.reason == "");
  CHECK(report.thresholds[0].outcome == Outcome::skipped);
  CHECK(report.thresholds[0].reason == "not judged, because two was ended by `abort`");
  bench.phases[1].thresholds[0].outcome = Outcome::pass;
  CHECK(bench.judge().thresholds[0].outcome == Outcome::pass);
}

TEST_CASE("judge group: without a whole interval in common there is nothing to judge") {
  GroupBench bench(1000, 3000, {"read.iops >= 1"});
  bench.plans[1].warmup = 1'000'000'000;
  const PhaseReport report = bench.judge();
  CHECK_FALSE(report.common);
  CHECK(report.outcome == Outcome::error);
  CHECK(report.thresholds[0].reason.find("no whole interval in common") != std::string::npos);
}

TEST_CASE("judge group: together above the limit is a finding, though each phase is below it") {
  GroupBench bench(1000, 3000, {});
  bench.group.limits = {{"", {{"read.iops", 3500}}}};
  const PhaseReport report = bench.judge();
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].name == "over_limit");
  CHECK(report.outcome == Outcome::pass);
}

TEST_CASE("judge phase: a layout is not judged by its speed") {
  PhasePlan layout = sample_plan({}).phases[0];
  layout.kind = PhaseKind::layout;
  layout.queue_depth = 1000;  // never reached
  const PhaseReport report = judge_phase(layout, sample_result(4000), {.disk = &on_memory});
  CHECK(report.outcome == Outcome::pass);
  CHECK(report.findings.empty());
  CHECK(report.kind == "layout");
}

TEST_CASE("judge phase: a phase that was not run keeps its test cases") {
  const PhaseReport report = report_not_run(sample_plan({"read.iops >= 1"}).phases[0], "not run because of rain");
  CHECK(report.outcome == Outcome::error);
  REQUIRE(report.thresholds.size() == 1);
  CHECK(report.thresholds[0].outcome == Outcome::error);
  CHECK(report.thresholds[0].reason.find("rain") != std::string::npos);
  CHECK_FALSE(report.thresholds[0].observed);
}

TEST_CASE("judge phase: a network file system is looked at with what its client counted") {
  Plan plan = sample_plan({});
  DiskFacts disk;
  disk.network = NetworkMount{.kind = "nfs", .server = "nas", .version = "3", .read_size = 1024};
  disk.mount_options = "rw,soft";
  PhaseResult result = sample_result(4000);
  auto data = std::make_shared<RunData>(*result.data);
  data->network = NetworkTotals{.read_bytes = 4096, .write_bytes = 0, .calls = 4};
  result.data = data;
  const PhaseReport report = judge_phase(plan.phases[0], result, {.disk = &disk});
  CHECK(report.metrics.find("network.rpc.calls") == 4);
  CHECK(find_finding_in(report, "client_cache") != nullptr);
  CHECK(find_finding_in(report, "mount_options") != nullptr);
}

}  // namespace
}  // namespace diskproof
