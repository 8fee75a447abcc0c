// The order of a run and its endings, with phases that are made up.
#include "cli/run_session.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>

#include "integrity/manifest.hpp"
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

FilesystemFacts share(const std::string&) {
  FilesystemFacts facts = roomy("");
  facts.type = "nfs4";
  facts.source = "nas:/vol";
  facts.options = "rw,vers=4.2,rsize=65536";
  return facts;
}

// 10 requests more each time it is asked.
std::optional<NetworkTotals> ten_more(const NetworkMount&, const std::string&, const std::string&) {
  static std::uint64_t calls = 0;
  return NetworkTotals{.read_bytes = 0, .write_bytes = 0, .calls = calls += 10};
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
  PhaseObserver* observer = nullptr;  // of the phase that runs
  FilesystemFacts (*filesystem)(const std::string&) = roomy;
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
    RunSession session(report,
                       {.reports = reports,
                        .view = view,
                        .stop = control,
                        .state_root = state.path(),
                        .filesystem = filesystem,
                        .run_phases =
                            [this](std::span<const PhaseStart> starts, const std::string&, const PreparedDisks&) {
                              std::vector<PhaseResult> results;
                              for (const PhaseStart& start : starts) {
                                executed.push_back(start.index);
                                seeds.push_back(start.seed);
                                observer = start.observer;
                                results.push_back(phase(start.index));
                              }
                              at_once.push_back(starts.size());
                              return results;
                            },
                        .count_network = ten_more});
    session.run();
    return report.exit_code;
  }
};

// Writes of so many bytes beside reads.
PhaseResult writes_of(std::uint64_t warmup, std::uint64_t window) {
  PhaseResult result = sample_result(4000);
  auto data = std::make_shared<RunData>(*result.data);
  data->directions[1].bytes = window;
  data->warmup_intervals.emplace_back().directions[1].bytes = warmup;
  result.data = data;
  return result;
}

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

// A phase that stamps and a check of it; the report folder has the manifest of an earlier run.
struct VerifyBench : Bench {
  VerifyBench() {
    auto& phases = report.plan.phases;
    phases.erase(phases.begin());
    for (PhasePlan& one : phases) {
      one.thresholds.clear();
      one.needs.clear();
    }
    phases[0].operations = {.read = 0, .write = 100, .trim = 0};
    phases[0].verify.write = true;
    phases[0].verify.manifest = phases[1].verify.manifest = out.path("read.manifest");
    phases[0].verify.map = "d.map";
    phases[1].kind = PhaseKind::verify;
    phases[1].verify.of = phases[0].name;
    const TempFolder elsewhere;
    const WrittenMap written(elsewhere.path("map"), {1, 2, 512}, std::vector<std::uint64_t>{4096});
    ManifestFacts facts;
    facts.run_id = "run-0";
    facts.files.resize(1);
    write_manifest(out.path("read.manifest"), written, facts);
  }
  [[nodiscard]] std::string manifest() const { return manifest_run_id(out.path("read.manifest")); }
};

TEST_CASE("run session: the manifest of an earlier run stays when the run is refused") {
  VerifyBench bench;
  bench.folder.write("f.dat", "precious");
  CHECK(bench.run() == 4);
  CHECK(bench.manifest() == "run-0");
}

TEST_CASE("run session: the manifest of an earlier run stays when the writer cannot run - and is not checked instead") {
  VerifyBench bench;
  bench.report.plan.phases[0].needs = {"layout/data"};
  CHECK(bench.run() == 2);
  CHECK(bench.executed.empty());
  CHECK(bench.report.phases[1].reason.find("not run because read left no manifest of what it wrote") == 0);
  CHECK(bench.manifest() == "run-0");
}

TEST_CASE("run session: before a phase writes without stamps the manifests of its disk go") {
  VerifyBench bench;
  bench.report.plan.phases[1] = bench.report.plan.phases[0];
  bench.report.plan.phases[1].name = "plain";
  bench.report.plan.phases[1].verify = {};
  std::vector<std::string> at_start;
  bench.phase = [&](std::size_t) {
    at_start.push_back(bench.manifest());
    return writes_of(0, 4096);
  };
  bench.run();
  CHECK(at_start == std::vector<std::string>{"run-0", ""});
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

TEST_CASE("run session: a pause ends with the run") {
  Bench bench;
  pressed = false;
  bench.report.plan.phases[1].pause = std::uint64_t{3600} * 1'000'000'000;
  bench.phase = [](std::size_t) {
    pressed = true;
    return sample_result(4000);
  };
  CHECK(bench.run(when_pressed) == 130);
  CHECK(bench.executed == std::vector<std::size_t>{0});
  CHECK(bench.report.phases[1].reason == "not run: interrupted");
}

TEST_CASE("run session: a phase that requires another runs only if that one ended without fail or error") {
  struct Row {
    const char* check;  // of the phase that is required
    std::string skip;
    Outcome outcome;
    std::string reason;
  };
  for (const Row& row :
       {Row{"read.iops >= 1", "", Outcome::pass, ""},
        {"read.latency.p99.99 <= 1s", "", Outcome::pass, ""},  // inconclusive
        {"read.iops >= 1000000", "", Outcome::error, "not run because read failed"},
        {"write.iops >= 1", "", Outcome::error, "not run because read ended in an error"},
        {"read.iops >= 1", "no engine", Outcome::skipped, "not run because read was skipped: no engine"}}) {
    CAPTURE(row.check);
    Bench bench;
    bench.report.plan.phases[1].thresholds[0].check = row.check;
    bench.report.plan.phases[1].skip = row.skip;
    bench.report.plan.phases[2].required = {"read"};
    bench.run();
    CHECK(bench.report.phases[2].outcome == row.outcome);
    CHECK(bench.report.phases[2].reason == row.reason);
    CHECK(bench.report.phases[2].thresholds[0].outcome == row.outcome);
  }
}

TEST_CASE("run session: what is skipped is no error, and its test cases are there") {
  Bench bench;
  bench.report.plan.phases[2].skip = "left out by --only";
  CHECK(bench.run() == 0);
  CHECK(bench.executed == std::vector<std::size_t>{0, 1});
  CHECK(bench.report.phases[2].outcome == Outcome::skipped);
  CHECK(bench.out.read("junit.xml").find("skipped message=\"left out by --only\"") != std::string::npos);
}

TEST_CASE("run session: where every phase is skipped the run is skipped, though the layout was written") {
  Bench bench;
  for (std::size_t i : {1u, 2u}) bench.report.plan.phases[i].skip = "left out by --only";
  CHECK(bench.run() == 0);
  CHECK(bench.executed == std::vector<std::size_t>{0});
  CHECK(bench.report.phases[0].outcome == Outcome::pass);
  CHECK(bench.report.outcome == Outcome::skipped);
}

TEST_CASE("run session: what a machine turns out to lack skips an optional phase only") {
  for (const bool optional : {true, false}) {
    CAPTURE(optional);
    Bench bench;
    bench.report.plan.phases[1].optional = optional;
    bench.phase = [](std::size_t index) {
      PhaseResult result = sample_result(4000);
      if (index != 1) return result;
      result.completed = false;
      result.data = nullptr;
      result.unavailable = true;
      result.reason = "direct I/O is not possible here";
      return result;
    };
    CHECK(bench.run() == (optional ? 0 : 2));
    CHECK(bench.report.phases[1].outcome == (optional ? Outcome::skipped : Outcome::error));
    CHECK(bench.report.phases[1].reason == "direct I/O is not possible here");
  }
}

TEST_CASE("run session: an abort ends the phase as failed, and its other thresholds are not judged") {
  Bench bench;
  bench.report.plan.phases[1].aborts = {"read.iops < 100 for 2s"};
  std::string asked;
  bench.phase = [&](std::size_t index) {
    if (index != 1) return sample_result(4000);
    Interval row;
    row.duration = 1'000'000'000;
    for (int second = 0; second < 2; ++second) {
      CHECK_FALSE(bench.observer->end_request());
      bench.observer->on_interval(row);
    }
    const auto request = bench.observer->end_request();
    if (request && request->complete) asked = request->reason;
    return sample_result(0);  // completed, with nothing in it
  };
  CHECK(bench.run() == 1);
  CHECK(asked.starts_with("'read.iops < 100 for 2s' held for 2 s: read.iops was 0/s"));
  const PhaseReport& phase = bench.report.phases[1];
  CHECK(phase.outcome == Outcome::fail);
  REQUIRE(phase.thresholds.size() == 2);
  CHECK(phase.thresholds[0].outcome == Outcome::skipped);
  CHECK(phase.thresholds[1].check == "abort: read.iops < 100 for 2s");
  CHECK(phase.thresholds[1].outcome == Outcome::fail);
  CHECK(bench.report.phases[2].outcome == Outcome::pass);
}

TEST_CASE("run session: max_written ends a phase with numbers, and nothing that writes comes after it") {
  Bench bench;
  bench.report.plan.max_written = 1000;
  bench.report.plan.phases[1].operations = {.read = 50, .write = 50, .trim = 0};
  bench.report.plan.phases[2].operations = {.read = 50, .write = 50, .trim = 0};
  std::string asked;
  bench.phase = [&](std::size_t index) {
    PhaseResult result = sample_result(4000);
    if (index == 0) return result;
    PhaseTick tick;
    tick.written = 1000;
    bench.observer->on_tick(tick);
    CHECK_FALSE(bench.observer->end_request());
    tick.written = 1001;
    bench.observer->on_tick(tick);
    const auto request = bench.observer->end_request();
    REQUIRE(request);
    CHECK_FALSE(request->complete);
    asked = request->reason;
    result = writes_of(400, 620);  // it went on for a moment
    result.reason = request->reason;
    result.completed = false;
    return result;
  };
  CHECK(bench.run() == 2);
  CHECK(asked == "ended because the job had written 1001 B, more than its max_written of 1000 B");
  CHECK(bench.executed == std::vector<std::size_t>{0, 1});
  CHECK(bench.report.phases[1].outcome == Outcome::error);
  CHECK(bench.report.phases[1].reason ==
        "ended because the job had written 1020 B, more than its max_written of 1000 B");
  CHECK(bench.report.phases[2].reason == "not run because the job has written 1020 B, and its max_written is 1000 B");
}

TEST_CASE("run session: max_written is judged of a phase that ended before anybody looked, its warm-up included") {
  Bench bench;
  bench.report.plan.max_written = 1000;
  bench.report.plan.phases[1].operations = {.read = 50, .write = 50, .trim = 0};
  bench.report.plan.phases[1].repeat.count = 2;
  bench.report.plan.phases[2].operations = {.read = 0, .write = 100, .trim = 0};
  bench.phase = [&](std::size_t index) { return index == 0 ? writes_of(0, 0) : writes_of(1, 1000); };
  CHECK(bench.run() == 2);
  CHECK(bench.executed == std::vector<std::size_t>{0, 1});
  CHECK(bench.report.phases[1].outcome == Outcome::error);
  CHECK(bench.report.phases[1].reason ==
        "run 1 of 2: at its end the job had written 1001 B, more than its max_written of 1000 B");
  CHECK(bench.report.phases[2].reason == "not run because the job has written 1001 B, and its max_written is 1000 B");
}

TEST_CASE("run session: max_written may be reached, and a layout is judged like any other phase") {
  for (const std::uint64_t last : {0U, 1U}) {
    CAPTURE(last);
    Bench bench;
    bench.report.plan.max_written = 1000;
    bench.phase = [&](std::size_t index) { return index == 0 ? writes_of(1000 + last, 0) : sample_result(4000); };
    CHECK(bench.run() == (last == 0 ? 0 : 2));
    CHECK(bench.report.phases[0].outcome == (last == 0 ? Outcome::pass : Outcome::error));
    CHECK(bench.executed.size() == (last == 0 ? 3 : 1));  // the others need its data
  }
}

TEST_CASE("run session: a fault of its own is told, also where max_written was exceeded") {
  Bench bench;
  bench.report.plan.max_written = 1000;
  bench.phase = [&](std::size_t) {
    PhaseResult result = writes_of(0, 2000);
    result.completed = false;
    result.reason = "the engine crashed";
    return result;
  };
  CHECK(bench.run() == 2);
  CHECK(bench.report.phases[0].reason == "the engine crashed");
}

TEST_CASE("run session: a smoke run ends what counts after a moment, and that is as good as complete") {
  Bench bench;
  bench.report.plan.smoke = true;
  bench.report.plan.phases[1].stop = {.kind = StopRule::Kind::operations, .value = 1'000'000};
  bench.report.plan.phases[1].warmup = 100'000'000;
  bench.phase = [&](std::size_t index) {
    PhaseTick tick;
    tick.elapsed = 1.0;
    bench.observer->on_tick(tick);
    CHECK_FALSE(bench.observer->end_request());
    tick.elapsed = 1.2;
    bench.observer->on_tick(tick);
    const auto request = bench.observer->end_request();
    CHECK(request.has_value() == (index == 1));
    CHECK((!request || request->complete));
    return sample_result(4000);
  };
  CHECK(bench.run() == 0);
}

TEST_CASE("run session: a threshold may compare with an earlier phase") {
  Bench bench;
  bench.report.plan.phases[2].thresholds = {{"read.iops >= 99% of phase read", false},
                                            {"read.latency.p99.9 <= 110% of phase read", false}};
  CHECK(bench.run() == 5);  // the percentile needs more operations
  CHECK(bench.report.phases[2].thresholds[0].outcome == Outcome::pass);
  CHECK(bench.report.phases[2].thresholds[0].bound == doctest::Approx(3960));
  Bench lost;
  lost.report.plan.phases[2].thresholds = {{"read.iops >= 99% of phase read", false}};
  lost.phase = [](std::size_t index) {
    PhaseResult result = sample_result(4000);
    result.completed = index != 1;
    result.reason = index == 1 ? "it crashed" : "";
    return result;
  };
  CHECK(lost.run() == 2);
  CHECK(lost.report.phases[2].thresholds[0].outcome == Outcome::error);
  CHECK(lost.report.phases[2].thresholds[0].reason == "not decided, because phase read was not measured: it crashed");
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

TEST_CASE("run session: a network file system is in the report, and what its client counted during each run") {
  Bench bench;
  bench.filesystem = share;
  CHECK(bench.run() == 0);
  REQUIRE(bench.report.disks.at(0).network);
  CHECK(bench.report.disks[0].network->server == "nas");
  CHECK(bench.report.disks[0].network->read_size == 65536);
  for (const char* name : {"read", "second"}) {
    CAPTURE(name);
    const auto phase = std::ranges::find(bench.report.phases, name, &PhaseReport::name);
    REQUIRE(phase != bench.report.phases.end());
    CHECK(phase->metrics.find("network.rpc.calls") == 10);
  }
  Bench local;
  CHECK(local.run() == 0);
  CHECK_FALSE(local.report.disks.at(0).network);
  CHECK_FALSE(local.report.phases.back().metrics.find("network.rpc.calls"));
}

}  // namespace
}  // namespace diskproof
