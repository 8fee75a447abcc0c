// The order of a run and its endings, with phases that are made up.
#include "cli/run_session.hpp"

#include <doctest/doctest.h>
#include <filesystem>

#include "run_samples.hpp"
#include "support/temp_folder.hpp"

namespace diskproof {
namespace {

namespace fs = std::filesystem;

class RecordingView : public RunView {
 public:
  void run_started(const RunReport&) override { calls += "run "; }
  void phase_started(const PhasePlan& phase) override { calls += "+" + phase.name + " "; }
  void tick(const PhasePlan&, std::uint32_t, const PhaseTick&) override {}
  void phase_finished(const PhaseReport& phase) override { calls += "-" + phase.name + " "; }
  void run_finished(const RunReport&, const std::vector<std::string>&) override { calls += "end"; }
  std::string calls;
};

FilesystemFacts roomy(const std::string&) {
  FilesystemFacts facts;
  facts.type = "ext4";
  facts.size = facts.available = std::uint64_t{1} << 40;
  return facts;
}

int never() noexcept { return 0; }
int always() noexcept { return 1; }

std::atomic<bool> pressed{false};
int when_pressed() noexcept { return pressed ? 1 : 0; }

// A file disk with layout and two phases in a folder of the test.
struct Bench {
  TempFolder folder, state, out;
  RecordingView view;
  RunReport report;
  std::vector<std::size_t> executed;
  std::vector<std::uint64_t> seeds;
  std::vector<std::size_t> at_once;   // phases that were started together
  const StopControl* stop = nullptr;  // while it runs
  std::function<PhaseResult(std::size_t)> phase = [](std::size_t) { return sample_result(4000); };

  explicit Bench(bool keep = false) {
    Job job = sample_job();
    job.disks[0].path = folder.path("f.dat");
    job.disks[0].keep = keep;
    job.phases[0].thresholds = {{"read.iops >= 1", false}};
    job.phases.push_back(sample_phase("second"));
    job.phases[1].thresholds = {{"read.iops >= 1", false}};
    Diagnostics diagnostics;
    report.plan = make_plan(job, sample_request(), SampleMachine{}.view(), diagnostics);
  }

  void wait_for_stop() const {
    while (!stop->flag()) std::this_thread::yield();
  }

  int run(int (*interruptions)() noexcept = never, std::uint64_t timeout = 0) {
    ReportSet reports(out.path(), "");
    const StopControl control(timeout, interruptions);
    stop = &control;
    if (timeout != 0) wait_for_stop();
    RunSession session(report, {.reports = reports,
                                .view = view,
                                .stop = control,
                                .state_root = state.path(),
                                .filesystem = roomy,
                                .run_phases = [this](std::span<const PhaseStart> starts, const std::string&,
                                                     const std::vector<TargetIdentity>&) {
                                  std::vector<PhaseResult> results;
                                  for (const PhaseStart& start : starts) {
                                    executed.push_back(start.index);
                                    seeds.push_back(start.seed);
                                    results.push_back(phase(start.index));
                                  }
                                  at_once.push_back(starts.size());
                                  return results;
                                }});
    session.run();
    return report.exit_code;
  }
};

TEST_CASE("run session: phases run in order, reports are there, the file is gone") {
  Bench bench;
  CHECK(bench.run() == 0);
  CHECK(bench.view.calls == "run +layout/data -layout/data +read -read +second -second end");
  CHECK(bench.report.outcome == Outcome::pass);
  CHECK(bench.out.has("result.json"));
  CHECK(bench.out.has("junit.xml"));
  CHECK(fs::is_empty(bench.folder.path()));
  CHECK(has_no_run(bench.state.path()));
  CHECK(bench.report.disks[0].filesystem == "ext4");
}

TEST_CASE("run session: a failed layout leaves out what needs its data") {
  Bench bench;
  bench.phase = [](std::size_t) {
    PhaseResult result;
    result.reason = "the engine crashed";
    return result;
  };
  CHECK(bench.run() == 2);
  CHECK(bench.executed == std::vector<std::size_t>{0});
  CHECK(bench.report.phases[1].reason == "not run because layout/data did not succeed");
  CHECK(fs::is_empty(bench.folder.path()));
}

TEST_CASE("run session: after an error later phases still run") {
  Bench bench;
  bench.phase = [](std::size_t index) {
    PhaseResult result = sample_result(4000);
    result.completed = index != 1;
    return result;
  };
  CHECK(bench.run() == 2);
  CHECK(bench.executed == std::vector<std::size_t>{0, 1, 2});
  CHECK(bench.report.phases[2].outcome == Outcome::pass);
}

TEST_CASE("run session: a repeated phase runs as often as it says, each time with its own seed") {
  Bench bench;
  bench.report.plan.phases[1].repeat = {.count = 3, .interval = 1'000'000};
  const std::uint64_t seed = bench.report.plan.phases[1].seed;
  CHECK(bench.run() == 0);
  CHECK(bench.executed == std::vector<std::size_t>{0, 1, 1, 1, 2});
  CHECK(bench.seeds[1] == seed);
  CHECK(bench.seeds[3] == seed_of_run(seed, 2));
  REQUIRE(bench.report.phases[1].runs.size() == 3);
  CHECK(bench.report.phases[1].runs[2].seed == seed_of_run(seed, 2));
  CHECK(bench.view.calls == "run +layout/data -layout/data +read -read +second -second end");
}

TEST_CASE("run session: after a run that failed the phase does not run again") {
  Bench bench;
  bench.report.plan.phases[1].repeat.count = 3;
  bench.phase = [&bench](std::size_t) {
    PhaseResult result = sample_result(4000);
    result.completed = bench.executed.size() != 3;
    result.reason = result.completed ? "" : "the engine crashed";
    return result;
  };
  CHECK(bench.run() == 2);
  CHECK(bench.executed == std::vector<std::size_t>{0, 1, 1, 2});
  CHECK(bench.report.phases[1].reason == "run 2 of 3: the engine crashed");
}

TEST_CASE("run session: an interruption between two runs is one of the phase") {
  Bench bench;
  pressed = false;
  bench.report.plan.phases[1].repeat = {.count = 2, .interval = 60'000'000'000};
  bench.phase = [](std::size_t index) {
    pressed = index == 1;
    return sample_result(4000);
  };
  CHECK(bench.run(when_pressed) == 130);
  CHECK(bench.executed == std::vector<std::size_t>{0, 1});
  CHECK(bench.report.phases[1].interrupted);
  CHECK(bench.report.phases[1].runs.size() == 1);
  CHECK(bench.report.phases[1].reason.find("interrupted") != std::string::npos);
}

// The bench's two phases as a group, with its entry behind them.
void make_group(Bench& bench, bool parallel, std::uint32_t rounds) {
  auto& phases = bench.report.plan.phases;
  PhasePlan group;
  group.name = "both";
  group.kind = PhaseKind::group;
  group.parallel = parallel;
  for (std::size_t i = 1; i <= 2; ++i) {
    phases[i].group = "both";
    phases[i].repeat.count = rounds;
    phases[i].warmup = 0;
    group.members.push_back(phases[i].name);
  }
  group.repeat.count = rounds;
  phases.push_back(group);
}

TEST_CASE("run session: rounds run their phases A B A B") {
  Bench bench;
  make_group(bench, false, 3);
  CHECK(bench.run() == 0);
  CHECK(bench.executed == std::vector<std::size_t>{0, 1, 2, 1, 2, 1, 2});
  REQUIRE(bench.report.phases.size() == 4);
  CHECK(bench.report.phases[1].runs.size() == 3);
  CHECK(bench.report.phases[2].runs.size() == 3);
  CHECK(bench.report.phases[3].kind == "group");
  CHECK(bench.report.phases[3].outcome == Outcome::pass);
  CHECK(bench.view.calls == "run +layout/data -layout/data +read +second -read -second -both end");
}

TEST_CASE("run session: a phase that failed has no further turn, the others go on") {
  Bench bench;
  make_group(bench, false, 3);
  bench.phase = [&bench](std::size_t) {
    PhaseResult result = sample_result(4000);
    result.completed = bench.executed.size() != 4;  // the second turn of the first phase
    result.reason = result.completed ? "" : "the engine crashed";
    return result;
  };
  CHECK(bench.run() == 2);
  CHECK(bench.executed == std::vector<std::size_t>{0, 1, 2, 1, 2, 2});
  CHECK(bench.report.phases[1].reason == "run 2 of 3: the engine crashed");
  CHECK(bench.report.phases[2].outcome == Outcome::pass);
  CHECK(bench.report.phases[3].outcome == Outcome::error);
}

TEST_CASE("run session: the phases of a parallel group start together, and it has an entry of its own") {
  Bench bench;
  make_group(bench, true, 1);
  bench.report.plan.phases[3].thresholds = {{"read.operations == 8000", false}};
  CHECK(bench.run() == 0);
  CHECK(bench.executed == std::vector<std::size_t>{0, 1, 2});
  CHECK(bench.at_once == std::vector<std::size_t>{1, 2});
  CHECK(bench.report.phases[3].metrics.find("total.operations") == 8000);
  CHECK(bench.view.calls == "run +layout/data -layout/data +read +second -read -second -both end");
  CHECK(bench.out.read("junit.xml").find("<property name=\"common.read.iops\" value=\"8000\" />") != std::string::npos);
}

TEST_CASE("run session: when a phase of a parallel group cannot run, none does") {
  Bench bench;
  make_group(bench, true, 1);
  bench.report.plan.phases[1].needs = {"layout/other"};
  CHECK(bench.run() == 2);
  CHECK(bench.executed == std::vector<std::size_t>{0});
  CHECK(bench.report.phases[1].reason == "not run because layout/other did not succeed");
  CHECK(bench.report.phases[2].reason == "not run because read, which was to run at the same time, could not be");
  CHECK(bench.report.phases[3].outcome == Outcome::error);
}

TEST_CASE("run session: the timeout of a group leaves out what has not begun when it passes") {
  Bench bench;
  make_group(bench, false, 2);
  bench.report.plan.phases[3].timeout = 50'000'000;
  bench.phase = [](std::size_t index) {
    if (index == 1) std::this_thread::sleep_for(std::chrono::milliseconds(60));
    return sample_result(4000);
  };
  CHECK(bench.run() == 2);
  CHECK(bench.executed == std::vector<std::size_t>{0, 1});
  CHECK(bench.report.phases[2].reason == "run 1 of 2: not run: the timeout of group both passed (50 ms)");
}

TEST_CASE("run session: a failed threshold ends with 1") {
  Bench bench;
  bench.report.plan.phases[2].thresholds[0].check = "read.iops >= 1000000";
  CHECK(bench.run() == 1);
  CHECK(bench.report.outcome == Outcome::fail);
}

TEST_CASE("run session: a refusal ends with 4, runs nothing and keeps every test case") {
  Bench bench;
  bench.folder.write("f.dat", "precious");
  CHECK(bench.run() == 4);
  CHECK(bench.executed.empty());
  REQUIRE(bench.report.phases.size() == 3);
  CHECK(bench.report.phases[1].thresholds.size() == 1);
  CHECK(bench.report.reason.find("was not made by diskproof") != std::string::npos);
  CHECK(bench.folder.read("f.dat") == "precious");
  CHECK(bench.out.read("junit.xml").find("Refused") != std::string::npos);
}

TEST_CASE("run session: an interruption ends with 130, the undo happens") {
  Bench bench;
  pressed = false;
  bench.phase = [&bench](std::size_t index) {
    PhaseResult result = sample_result(4000);
    if (index == 0) return result;
    pressed = true;
    bench.wait_for_stop();
    result.completed = false;
    result.interrupted = true;
    result.reason = "interrupted";
    return result;
  };
  CHECK(bench.run(when_pressed) == 130);
  CHECK(bench.executed == std::vector<std::size_t>{0, 1});
  CHECK(bench.report.phases[1].interrupted);
  CHECK(bench.report.phases[2].reason == "not run: interrupted");
  CHECK_FALSE(bench.report.phases[2].interrupted);
  CHECK(fs::is_empty(bench.folder.path()));
  CHECK(bench.out.read("junit.xml").find("type=\"Interrupted\" message=\"interrupted\"") != std::string::npos);
}

TEST_CASE("run session: the timeout of the job is an error") {
  Bench bench;
  CHECK(bench.run(never, 1) == 2);
  CHECK(bench.report.reason == "the job's timeout passed");
}

TEST_CASE("run session: a tainted disk is not used again and not cleaned up") {
  Bench bench;
  bench.phase = [](std::size_t index) {
    PhaseResult result = sample_result(4000);
    result.completed = index == 0;
    result.tainted = index == 1;
    return result;
  };
  bench.run();
  CHECK(bench.executed == std::vector<std::size_t>{0, 1});
  CHECK(bench.report.phases[2].reason.find("may still be under way") != std::string::npos);
  CHECK(bench.folder.has("f.dat"));
  CHECK_FALSE(has_no_run(bench.state.path()));
}

TEST_CASE("run session: files that an earlier run kept are not laid out again") {
  Bench first(true);
  CHECK(first.run() == 0);
  CHECK(first.folder.has("f.dat"));
  Bench second(true);
  fs::rename(first.folder.path("f.dat"), second.folder.path("f.dat"));
  fs::rename(first.folder.path("f.dat.diskproof"), second.folder.path("f.dat.diskproof"));
  CHECK(second.run() == 0);
  CHECK(second.executed == std::vector<std::size_t>{1, 2});
  CHECK(second.report.phases[0].outcome == Outcome::pass);
}

TEST_CASE("run session: reports that cannot be written are an error, measured or not") {
  Bench bench;
  bench.phase = [&bench](std::size_t) {
    fs::remove_all(bench.out.path());
    return sample_result(4000);
  };
  CHECK(bench.run() == 2);
  CHECK(fs::is_empty(bench.folder.path()));
}

TEST_CASE("run session: a job without thresholds says that nothing is gated") {
  Bench bench;
  for (PhasePlan& phase : bench.report.plan.phases) phase.thresholds.clear();
  CHECK(bench.run() == 0);
  REQUIRE(bench.report.findings.size() == 1);
  CHECK(bench.report.findings[0].name == "nothing_gated");
}

TEST_CASE("run session: phases may ignore that nothing is gated") {
  Bench bench;
  for (PhasePlan& phase : bench.report.plan.phases) {
    phase.thresholds.clear();
    phase.findings["nothing_gated"] = Severity::ignore;
  }
  CHECK(bench.run() == 0);
  CHECK(bench.report.findings.empty());
}

TEST_CASE("run session: interrupted before its preparation it prepares nothing") {
  Bench bench;
  CHECK(bench.run(always) == 130);
  CHECK(bench.executed.empty());
  CHECK(bench.report.preparation.empty());
  for (const PhaseReport& phase : bench.report.phases) {
    CHECK(phase.reason == "not run: interrupted");
    CHECK_FALSE(phase.interrupted);
  }
}

TEST_CASE("run session: the outcome is the worst of all, the exit code follows it") {
  struct Row {
    Outcome phase, step;
    bool refused, interrupted;
    int code;
  };
  for (const Row& row : {Row{Outcome::pass, Outcome::pass, false, false, 0},
                         {Outcome::fail, Outcome::pass, false, false, 1},
                         {Outcome::inconclusive, Outcome::pass, false, false, 5},
                         {Outcome::pass, Outcome::error, false, false, 2},
                         {Outcome::error, Outcome::error, true, false, 4},
                         {Outcome::error, Outcome::error, true, true, 130}}) {
    CAPTURE(row.code);
    RunReport report;
    report.phases.resize(1);
    report.phases[0].outcome = row.phase;
    report.preparation.resize(1);
    report.preparation[0].outcome = row.step;
    conclude(report, row.refused, row.interrupted);
    CHECK(report.exit_code == row.code);
  }
}

}  // namespace
}  // namespace diskproof
