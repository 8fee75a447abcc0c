// A phase whose process crashes, is killed, hangs or waits for an I/O that never comes back costs that phase alone: the
// run ends in bounded time, says what happened, runs the other phases and undoes what it made.
#include <doctest/doctest.h>

#include "integration/reports.hpp"

namespace diskproof::testing {
namespace {

// Phase `load` does what the row says; `before` and `after` are healthy. A file is there to be undone.
std::string job(const std::string& load_keys) {
  return "diskproof: 1\nname: faulty\n"
         "disks: {d: {file: target.dat, fill: true}, v: {virtual: {size: 1GiB}}}\n"
         "defaults: {direct: false, io_timeout: 2s, findings: {on_tmpfs: ignore}, thresholds: [total.operations >= "
         "1]}\n"
         "phases:\n"
         "  - {name: before, disk: v, engine: {name: sim, service_time: 10us}, operations_count: 10}\n"
         "  - {name: load, " +
         load_keys +
         "}\n"
         "  - {name: after, disk: v, engine: {name: sim, service_time: 10us}, operations_count: 10}\n"
         "  - {name: file, disk: d, size: 1MiB, engine: sync, operations_count: 10}\n";
}

std::string sim_load(const std::string& options) {
  return "disk: v, duration: 30s, queue_depth: 4, engine: {name: sim, service_time: 100us, " + options + "}";
}

// Everything that holds after phase `load`, and only that, was lost for a reason that holds `words`.
void check_lost_load(const Bench& bench, const Finished& run, const std::vector<std::string>& words) {
  INFO(run.out, run.err);
  REQUIRE(run.code == 2);
  CHECK(joined(bench.leftovers()) == "");
  const Junit junit = read_junit(bench);
  const Result result(bench);
  CHECK(joined(junit.suites) == "preparation, before, load, after, layout/d, file");
  for (const std::string name : {"before", "after", "layout/d", "file"}) {
    CAPTURE(name);
    CHECK(result.outcome(name) == "pass");
    CHECK(junit.at(name, "runs").end == "passed");
  }
  CHECK(result.outcome("load") == "error");
  CHECK(result.phase("load").at("thresholds").at(0).at("outcome") == "error");
  CHECK(junit.at("load", "total.operations >= 1").end == "error");
  const JunitEntry entry = junit.at("load", "runs");
  CHECK(entry.end == "error");
  for (const std::string& word : words) {
    CAPTURE(word);
    CHECK(result.reason("load").find(word) != std::string::npos);
    CHECK(entry.message.find(word) != std::string::npos);
    CHECK(entry.body.find(word) != std::string::npos);
    CHECK(run.out.find("load: " + result.reason("load").substr(0, 20)) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("a phase whose engine ends its process names signal or exit code") {
  struct Row {
    const char *name, *options, *words;
  };
  for (const Row& row : {Row{"abort", "abort_at: 50", "was ended by signal 6 (Aborted)"},
                         Row{"exit", "exit_at: 50", "ended with exit code 7"},
                         Row{"abort at the first operation", "abort_at: 1", "signal 6"}}) {
    CAPTURE(std::string(row.name));
    const Bench bench;
    const Finished run = bench.run(job(sim_load(row.options)));
    check_lost_load(bench, run, {row.words});
    const Result result(bench);
    CHECK_FALSE(result.has_metric("load", "read.iops"));  // nothing measured is absent, not 0
  }
}

TEST_CASE("an I/O that never completes is named with offset and age, and what was measured is kept") {
  const Bench bench;
  const Finished run = bench.run(job(sim_load("stuck_at: 50")));
  check_lost_load(bench, run, {"an I/O at offset 200704 has been in flight for 2.", "io_timeout 2.0 s"});
  CHECK(schema_complaint(bench) == "");
  const Result result(bench);
  const Json& stuck = result.phase("load").at("stuck");
  CHECK(stuck.at("offset") == 49 * 4096);
  CHECK(stuck.at("age") >= 2'000'000'000);
  CHECK(read_junit(bench).at("load", "runs").type == "StuckIo");
  CHECK(result.metric("load", "read.operations") > 49);
}

TEST_CASE("an engine that hangs inside submit is named with offset and age") {
  const Bench bench;
  const Finished run = bench.run(job(sim_load("hang_at: 50")));
  check_lost_load(bench, run, {"an I/O at offset", "io_timeout 2.0 s"});
}

TEST_CASE("a phase whose process is killed names the signal, whatever engine has I/O in flight") {
  const std::string engines = Bench().diskproof({"engines"}).out;
  for (const std::string engine : {"sync", "libaio", "io_uring"}) {
    CAPTURE(engine);
    const auto line = engines.find("\n" + engine + " ");
    if (line == std::string::npos || engines.substr(line, 40).find(" yes ") == std::string::npos) {
      MESSAGE("skipped: engine " << engine << " cannot be used here");
      continue;
    }
    const std::string depth = engine == "sync" ? "1" : "16";
    const Bench bench;
    const auto program =
        bench.start(job("disk: d, size: 1MiB, operations: write, access: random, duration: 30s, engine: " + engine +
                        ", queue_depth: " + depth));
    REQUIRE(bench.wait_for(*program, R"("event":"tick","phase":"load")"));
    const std::vector<int> children = children_of(program->pid());
    REQUIRE(children.size() == 1);
    kill_process(children.front());
    const Finished run = bench.finish(*program);
    INFO(run.out, run.err);
    REQUIRE(run.code == 2);
    CHECK(joined(bench.leftovers()) == "");
    const Result result(bench);
    CHECK(result.outcome("load") == "error");
    CHECK(result.reason("load").find("was ended by signal 9 (Killed)") != std::string::npos);
    CHECK(read_junit(bench).at("load", "runs").body.find("signal 9 (Killed)") != std::string::npos);
    for (const std::string name : {"before", "layout/d", "after", "file"}) {
      CAPTURE(name);
      CHECK(result.outcome(name) == "pass");
    }
  }
}

TEST_CASE("a layout whose process is killed costs the phases that need it, not the others") {
  const Bench bench;
  const std::string text =
      "diskproof: 1\nname: faulty\ndisks: {d: {virtual: {size: 1GiB}}, v: {virtual: {size: 1GiB}}}\n"
      "defaults: {engine: {name: sim, service_time: 100us}, operations_count: 10, thresholds: [total.operations >= "
      "1]}\n"
      "phases:\n"
      "  - {name: on_d, disk: d, layout: written, engine: {name: sim, abort_at: 3}}\n"
      "  - {name: on_v, disk: v}\n";
  const Finished run = bench.run(text);
  INFO(run.out, run.err);
  REQUIRE(run.code == 2);
  const Result result(bench);
  CHECK(result.reason("layout/d").find("signal 6") != std::string::npos);
  CHECK(result.reason("on_d").find("layout/d") != std::string::npos);
  CHECK(result.outcome("on_v") == "pass");
}

}  // namespace diskproof::testing
