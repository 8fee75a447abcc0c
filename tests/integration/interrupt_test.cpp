// Runs that are ended from outside: by a signal that asks, and by one that does not.
#include <csignal>
#include <doctest/doctest.h>
#include <filesystem>
#include <thread>

#include "integration/reports.hpp"

namespace diskproof::testing {
namespace {

namespace fs = std::filesystem;

const char* const kJob = R"(
diskproof: 1
name: long
disks:
  d: {file: target.dat, fill: true}
  folder: {directory: ., fill: true}
defaults: {engine: sync, direct: false, size: 1MiB, duration: 50s, findings: {on_tmpfs: ignore}, operations: write}
phases:
  - {name: short, disk: d, operations_count: 10, thresholds: [write.operations == 10]}
  - {name: load, disk: d, thresholds: [write.iops >= 1]}
  - {name: later, disk: folder, thresholds: [write.iops >= 1]}
)";

const char* const kMeasuring = R"("event":"tick","phase":"load","kind":"measure")";

bool wait_until(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

}  // namespace

TEST_CASE("a signal ends the run with 130, all its reports and nothing left behind") {
  struct Row {
    const char* name;
    int signal, times;
  };
  for (const Row& row : {Row{"SIGINT", SIGINT, 1}, Row{"SIGTERM", SIGTERM, 1}, Row{"SIGHUP", SIGHUP, 1},
                         Row{"SIGINT twice at once", SIGINT, 2}, Row{"SIGTERM again and again", SIGTERM, 1000}}) {
    CAPTURE(std::string(row.name));
    const Bench bench;
    const auto program = bench.start(kJob);
    REQUIRE(bench.wait_for(*program, kMeasuring));
    for (int i = 0; i < row.times && program->running(); ++i) {
      program->signal(row.signal);
      if (i > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    const Finished run = bench.finish(*program);
    INFO(run.out, run.err);
    REQUIRE(run.code == 130);
    CHECK(joined(bench.leftovers()) == "");

    const Junit junit = read_junit(bench);
    CHECK(joined(junit.suites) == "preparation, layout/d, short, load, layout/folder, later");
    CHECK(junit.at("short", "write.operations == 10").end == "passed");
    for (const std::string phase : {"load", "layout/folder", "later"}) {
      CAPTURE(phase);
      CHECK(junit.at(phase, "runs").end == "error");
      CHECK(junit.at(phase, "runs").message.find("interrupted") != std::string::npos);
      CHECK(junit.at(phase, "runs").type == (phase == "load" ? "Interrupted" : "NotRun"));
    }
    CHECK(junit.at("load", "write.iops >= 1").end == "error");
    const Result result(bench);
    CHECK(result.json().at("exit_code") == 130);
    CHECK(result.metric("load", "write.operations") > 0);  // what was measured is kept
    CHECK_FALSE(result.has_metric("later", "write.operations"));
  }
}

TEST_CASE("a second signal ends the wait for I/O in flight, whether the engine can cancel it or not") {
  for (const std::string option : {"", ", ignore_cancel: true"}) {
    CAPTURE(option);
    const Bench bench;
    const auto program = bench.start(  // one a second: the queue needs minutes to drain
        "diskproof: 1\nname: long\ndisks:\n  d: {virtual: {size: 1GiB}}\n  other: {directory: ., fill: true}\nphases:\n"
        "  - {name: load, disk: d, engine: {name: sim, total_iops: 1" +
        option +
        "}, queue_depth: 200, duration: 50s, thresholds: [read.iops >= 1]}\n"
        "  - {name: later, disk: other, engine: sync, direct: false, size: 1MiB, duration: 1s, findings: {on_tmpfs: "
        "ignore}, thresholds: [read.iops >= 1]}\n");
    REQUIRE(bench.wait_for(*program, kMeasuring));
    for (int i = 0; i < 100 && program->running(); ++i) {  // more than once, so that a busy machine sees two of them
      program->signal(SIGINT);
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
    }
    const Finished run = bench.finish(*program, std::chrono::seconds(30));
    INFO(run.out, run.err);
    CHECK(run.code == 130);
    CHECK(joined(bench.leftovers()) == "");
    CHECK(read_junit(bench).at("load", "runs").type == "Interrupted");
    CHECK(read_junit(bench).at("later", "runs").type == "NotRun");
    const Result result(bench);
    CHECK(result.json().at("exit_code") == 130);
    CHECK(result.metric("load", "read.operations") >= 1);  // what was measured, or had arrived, is kept
  }
}

TEST_CASE("the reports of an interrupted run are valid") {
  const Bench bench;
  const auto program = bench.start(kJob);
  REQUIRE(bench.wait_for(*program, kMeasuring));
  program->signal(SIGINT);
  REQUIRE(bench.finish(*program).code == 130);
  CHECK(schema_complaint(bench) == "");
}

TEST_CASE("a signal right at the start leaves nothing behind either") {
  const Bench bench;
  const auto program = bench.start(kJob);
  REQUIRE(bench.wait_for(*program, R"("event":"run_started")"));
  program->signal(SIGINT);
  const Finished run = bench.finish(*program);
  INFO(run.out, run.err);
  CHECK(run.code == 130);
  CHECK(joined(bench.leftovers()) == "");
  CHECK(read_junit(bench).suites.size() == 6);
}

TEST_CASE("a signal before the plan is made ends the run with 130 and reports too") {
  for (const int signal : {SIGTERM, SIGINT}) {
    CAPTURE(signal);
    const Bench bench;
    const auto program = bench.start(kJob);
    REQUIRE(wait_until([&] { return catches(program->pid(), signal); }));
    program->signal(signal);
    const Finished run = bench.finish(*program);
    INFO(run.out, run.err);
    CHECK(run.code == 130);
    CHECK(joined(bench.leftovers()) == "");
    CHECK(read_junit(bench).at("preparation", "run").type == "Interrupted");
    CHECK(read_junit(bench).suites.size() == 6);
  }
}

TEST_CASE("what a killed run left is listed, undone on demand, and undone only once") {
  const Bench bench;
  const auto program = bench.start(kJob);
  REQUIRE(bench.wait_for(*program, kMeasuring));
  const std::vector<int> children = children_of(program->pid());
  REQUIRE(children.size() == 1);
  CHECK(bench.diskproof({"cleanup", "--list"}).out == "nothing to clean up\n");  // it runs: its things are its own
  program->signal(SIGKILL);
  CHECK(bench.finish(*program).code == 128 + SIGKILL);
  CHECK(wait_until([&] { return !is_alive(children.front()); }));
  CHECK(bench.processes().empty());
  REQUIRE(fs::exists(bench.file("target.dat")));
  CHECK(read_junit(bench).suites.size() == 6);  // written after the phase before
  CHECK(read_junit(bench).at("load", "runs").end == "error");

  const Finished list = bench.diskproof({"cleanup", "--list"});
  CHECK(list.code == 0);
  CHECK(list.out.find(bench.path("job.yaml")) != std::string::npos);
  CHECK(list.out.find("to do: remove " + bench.file("target.dat") + "\n") != std::string::npos);
  CHECK(fs::exists(bench.file("target.dat")));

  const Finished cleanup = bench.diskproof({"cleanup"});
  INFO(cleanup.out, cleanup.err);
  CHECK(cleanup.code == 0);
  CHECK(joined(bench.leftovers()) == "");
  const Finished again = bench.diskproof({"cleanup"});
  CHECK(again.code == 0);
  CHECK(again.out == "nothing to clean up\n");
}

TEST_CASE("cleanup leaves alone what is no longer what the run made") {
  const Bench bench;
  const auto program = bench.start(kJob);
  REQUIRE(bench.wait_for(*program, kMeasuring));
  program->signal(SIGKILL);
  REQUIRE(bench.finish(*program).code == 128 + SIGKILL);
  REQUIRE(wait_until([&] { return bench.processes().empty(); }));
  bench.folder().write("work/fresh.dat", "somebody else's");
  fs::rename(bench.file("fresh.dat"), bench.file("target.dat"));
  const Finished cleanup = bench.diskproof({"cleanup"});
  CHECK(cleanup.code == 2);
  CHECK(cleanup.err.find("target.dat") != std::string::npos);
  CHECK(bench.folder().read("work/target.dat") == "somebody else's");
  CHECK(bench.diskproof({"cleanup"}).code == 0);  // said once
  CHECK(bench.diskproof({"cleanup", "--list"}).out == "nothing to clean up\n");
}

TEST_CASE("two runs do not share a file") {
  const Bench bench;
  const auto program = bench.start(kJob);
  REQUIRE(bench.wait_for(*program, kMeasuring));
  const std::string job = bench.path("job.yaml");
  const Finished second = bench.diskproof({"run", job, "--out", bench.path("second"), "--quiet"});
  CHECK(second.code == 4);
  CHECK(second.err.find("in use") != std::string::npos);
  program->signal(SIGINT);
  CHECK(bench.finish(*program).code == 130);
  CHECK_FALSE(fs::exists(bench.file("target.dat")));
}

}  // namespace diskproof::testing
