// A whole run on a file, and what it shows: reports, table, events, silence.
#include <doctest/doctest.h>
#include <sstream>

#include "integration/reports.hpp"

namespace diskproof::testing {
namespace {

// The shape of jobs/quickstart.yaml with little to do.
const char* const kJob = R"(
diskproof: 1
name: small
labels: {site: lab}
disks:
  here: {file: "${out}/small.dat", fill: true}
defaults:
  disk: here
  size: 4MiB
  engine: [io_uring, libaio, sync]
  direct: false
  warmup: 50ms
  duration: 300ms
  findings: {on_tmpfs: ignore}
phases:
  - name: sequential_write
    operations: write
    block_size: 256KiB
    thresholds: [write.bandwidth >= 1kB/s]
  - name: random_read
    access: random
    threads: 2
    thresholds: [read.iops >= 1, read.latency.p50 <= 10s]
)";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("a run on a file passes, leaves two valid reports and nothing else") {
  const Bench bench;
  const Finished run = bench.run(kJob);
  INFO(run.out, run.err);
  REQUIRE(run.code == 0);
  CHECK(schema_complaint(bench) == "");
  CHECK(joined(bench.leftovers()) == "");

  const Junit junit = read_junit(bench);
  CHECK(joined(junit.suites) == "preparation, layout/here, sequential_write, random_read");
  for (const auto& [suite, cases] : junit.cases) {
    for (const auto& [name, entry] : cases) {
      CAPTURE(suite);
      CAPTURE(name);
      CHECK(entry.end == "passed");
    }
  }
  const Result result(bench);
  CHECK(result.json().at("exit_code") == 0);
  CHECK(result.json().at("labels").at("site") == "lab");
  CHECK(result.metric("sequential_write", "write.operations") > 0);
  CHECK(result.metric("random_read", "read.operations") > 0);
}

TEST_CASE("people get a table with each phase, its numbers and the verdict as the last line") {
  const Bench bench;
  const Finished run = bench.run(kJob);
  INFO(run.out);
  REQUIRE(run.code == 0);
  CHECK(run.err == "");
  CHECK(run.out.find('\x1b') == std::string::npos);  // not a terminal: no colours, no overwriting
  CHECK(run.out.find('\r') == std::string::npos);
  for (const char* word :
       {"sequential_write", "random_read", "IOPS", "write.bandwidth >= 1kB/s", "out/junit.xml", "out/result.json"}) {
    CAPTURE(word);
    CHECK(run.out.find(word) != std::string::npos);
  }
  for (const std::string& line : lines_of(run.out)) {
    CAPTURE(line);
    const bool is_path = line.find(bench.folder().path()) != std::string::npos;
    CHECK((is_path || line.size() <= 160));
  }
  CHECK(lines_of(run.out).back() == "PASS: everything was measured, nothing failed (exit code 0)");
}

TEST_CASE("--json prints JSON Lines on stdout and nothing else") {
  const Bench bench;
  const Finished run = bench.run(kJob, {"--json"});
  REQUIRE(run.code == 0);
  CHECK(run.err == "");
  std::vector<std::string> finished;
  std::string first, last;
  for (const std::string& line : lines_of(run.out)) {
    CAPTURE(line);
    const Json event = Json::parse(line, nullptr, false);
    REQUIRE(event.is_object());
    last = event.value("event", "");
    if (first.empty()) first = last;
    if (last == "phase_finished") finished.push_back(event.at("phase"));
  }
  CHECK(first == "run_started");
  CHECK(last == "run_finished");
  CHECK(joined(finished) == "layout/here, sequential_write, random_read");
}

TEST_CASE("--json keeps what goes wrong off stdout") {
  const Bench bench;
  const Finished run = bench.run("diskproof: 1\nname: x\nphases: 7\n", {"--json"});
  CHECK(run.code == 3);
  CHECK(run.out == "");
  CHECK(run.err.find("job.yaml:3:") != std::string::npos);
}

TEST_CASE("--quiet prints nothing when all is well, and still writes the reports") {
  const Bench bench;
  const Finished run = bench.run(kJob, {"--quiet"});
  REQUIRE(run.code == 0);
  CHECK(run.out == "");
  CHECK(run.err == "");
  CHECK(Result(bench).json().at("outcome") == "pass");
}

TEST_CASE("--quiet says why the exit code is not 0, each reason once") {
  struct Row {
    const char* name;
    std::string disks, more;
    int code;
    const char* says;
  };
  const std::string file = "b: {file: b.dat, fill: true}";
  for (const Row& row :
       {Row{"a threshold", file, ", thresholds: [\"write.operations >= 9999\"]", 1, "write.operations >= 9999"},
        {"one of two disks could not be made", file + ", c: {mount: {source: x, type: tmpfs, options: [nosuch]}}", "",
         2, "disk c: `mount -t tmpfs"}}) {
    CAPTURE(std::string(row.name));
    const Bench bench;
    const std::string phases = row.disks.find("c:") == std::string::npos ? "[b]" : "[b, c]";
    const Finished run = bench.run(
        "diskproof: 1\nname: x\ndisks: {" + row.disks + "}\nphases: [{name: p, matrix: {disk: " + phases +
            "}, disk: \"${d}\", size: 64KiB, engine: sync, operations: write, operations_count: 4" + row.more + "}]\n",
        {"--quiet"});
    INFO(run.err);
    CHECK(run.code == row.code);
    CHECK(run.out == "");
    CHECK(run.err.find(row.says) != std::string::npos);
    CHECK(lines_of(run.err).size() <= 3);
  }
}

TEST_CASE("--junit writes the JUnit report to one more place") {
  const Bench bench;
  const Finished run = bench.run(kJob, {"--quiet", "--junit", bench.path("elsewhere.xml")});
  REQUIRE(run.code == 0);
  CHECK(bench.folder().read("elsewhere.xml") == bench.folder().read("out/junit.xml"));
  CHECK(bench.folder().read("elsewhere.xml").find("<testsuites") != std::string::npos);
}

TEST_CASE("a run without --out makes a folder of its own below the working directory") {
  const Bench bench;
  const Finished run = bench.diskproof({"run", bench.folder().write("job.yaml", kJob), "--quiet"});
  REQUIRE(run.code == 0);
  const std::filesystem::directory_iterator folder(bench.file("diskproof-results"));
  const std::string name = folder->path().filename().string();
  CHECK(name.starts_with("small-"));
  CHECK(std::filesystem::exists(folder->path() / "junit.xml"));
  CHECK(std::filesystem::exists(folder->path() / "result.json"));
}

}  // namespace diskproof::testing
