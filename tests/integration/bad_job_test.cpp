// Job files that are wrong, hostile or no job files at all: refused at once with their faults, and nothing is touched.
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>

#include "integration/bench.hpp"

namespace diskproof::testing {
namespace {

constexpr std::chrono::seconds kAtOnce{20};  // an ample second, on a machine that is busy

std::string utf16(const std::string& text) {
  std::string wide = "\xFF\xFE";
  for (const char letter : text) wide += {letter, '\0'};
  return wide;
}

std::string alias_bomb() {
  std::string text = "diskproof: 1\nname: bomb\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int level = 1; level <= 20; ++level) {
    text += fmt::format("a{}: &a{} [*a{}", level, level, level - 1);
    for (int i = 1; i < 10; ++i) text += fmt::format(", *a{}", level - 1);
    text += "]\n";
  }
  return text;
}

struct Wrong {
  const char* name;
  std::string text;
  const char* complaint;  // part of what is said
};

}  // namespace

TEST_CASE("a job with five different mistakes lists all five with line and column") {
  const Bench bench;
  const Finished run = bench.run(
      "diskproof: 1\n"                        // 1
      "name: five\n"                          // 2
      "disks:\n"                              // 3
      "  d: {file: x.dat, fil: true}\n"       // 4: unknown key
      "phases:\n"                             // 5
      "  - name: a\n"                         // 6
      "    disk: e\n"                         // 7: no such disk
      "    size: 4k\n"                        // 8: not a size
      "    engine: sim\n"                     // 9
      "    duration: 1s\n"                    // 10
      "    queue_depth: 0\n"                  // 11: out of range
      "    thresholds: [read.iosp >= 1]\n");  // 12: unknown metric
  CHECK(run.code == 3);
  CHECK(run.out == "");
  INFO(run.err);
  struct Fault {
    const char *place, *hint;
  };
  for (const Fault& fault :
       {Fault{"job.yaml:4:20 ", "unknown key"}, Fault{"job.yaml:7:5 ", "'e' is not a disk"},
        Fault{"job.yaml:8:11 ", "4KiB"}, Fault{"job.yaml:11:18 ", "1"}, Fault{"job.yaml:12:18 ", "read.iops"}}) {
    CAPTURE(std::string(fault.place));
    const auto at = run.err.find(fault.place);
    REQUIRE(at != std::string::npos);
    CHECK(run.err.find(fault.hint, at) != std::string::npos);
  }
  CHECK_FALSE(std::filesystem::exists(bench.path("out")));
  CHECK(joined(bench.leftovers()) == "");
}

TEST_CASE("what is no job file is refused at once, by run and by check") {
  const Wrong wrong[] = {
      {"empty", "", "empty"},
      {"ten megabytes", std::string(10 << 20, '#'), "1 MiB"},
      {"UTF-16", utf16("diskproof: 1\nname: x\n"), "UTF-8"},
      {"binary",
       std::string("\x7F"
                   "ELF\x02\x01\x01\0\0\0",
                   10),
       ""},
      {"text and comma", "\"\",", ""},
      {"alias cycle", "diskproof: 1\nname: &n [*n]\n", "n"},
      {"alias bomb", alias_bomb(), ""},
      {"deep nesting", std::string(100'000, '['), "nested"},
      {"endless anchors", "a: &a\n  b: *a\n", ""},
  };
  for (const Wrong& job : wrong) {
    CAPTURE(std::string(job.name));
    const Bench bench;
    const std::string file = bench.folder().write("job.yaml", job.text);
    for (const std::string command : {"run", "check", "plan"}) {
      CAPTURE(command);
      const Finished run = bench.diskproof({command, file}, kAtOnce);
      INFO(run.err.substr(0, 2000));
      CHECK(run.code == 3);
      CHECK(run.err.find("job.yaml") != std::string::npos);
      CHECK(run.err.find(job.complaint) != std::string::npos);
      CHECK(run.err.size() < 20'000);
    }
    CHECK(joined(bench.leftovers()) == "");
  }
}

TEST_CASE("a job that is no regular file is refused at once") {
  const Bench bench;
  for (const std::string& job : {bench.path("work"), bench.path("missing.yaml"), std::string("/dev/zero")}) {
    CAPTURE(job);
    const Finished run = bench.diskproof({"run", job}, kAtOnce);
    INFO(run.err);
    CHECK(run.code == 3);
    CHECK(run.err.find(job) != std::string::npos);
  }
}

TEST_CASE("several job files are checked together, and the good ones do not hide the bad one") {
  const Bench bench;
  const std::string good =
      bench.folder().write("good.yaml",
                           "diskproof: 1\nname: g\ndisks: {v: {virtual: {size: 1GiB}}}\n"
                           "phases: [{name: a, disk: v, engine: sim, duration: 1s, thresholds: [read.iops >= 1]}]\n");
  const std::string bad = bench.folder().write("bad.yaml", "diskproof: 1\nname: b\n");
  CHECK(bench.diskproof({"check", good}).code == 0);
  const Finished check = bench.diskproof({"check", good, bad, good});
  CHECK(check.code == 3);
  CHECK(check.err.find("bad.yaml") != std::string::npos);
  CHECK(check.err.find("good.yaml") == std::string::npos);
}

TEST_CASE("an engine's options that do not go together are mistakes of the job, by plan and by run, with their line") {
  const Bench bench;
  const std::string text =
      "diskproof: 1\n"
      "name: j\n"
      "disks:\n"
      "  d:\n"
      "    virtual: {size: 1MiB}\n"
      "    engine:\n"
      "      name: sim\n"
      "      service_time: 1ms\n"
      "      OPTION\n"  // 9
      "phases: [{name: load, disk: d, duration: 1s, thresholds: [total.iops >= 1]}]\n";
  struct Row {
    const char *option, *complaint;
  };
  for (const Row& row : {Row{"spread: 2ms", "spread needs distribution: uniform"},
                         {"ignore_cancel: true", "ignore_cancel needs stuck_at, parallelism or a limit"},
                         {"error_offset: 1MiB\n      error_length: 4KiB", "error_offset 1048576 lies behind the end"},
                         {"read_bandwidth: 10MB", "lacks '/s'; write 10MB/s"},
                         {"sprad: 1ms", "did you mean spread?"}}) {
    CAPTURE(std::string(row.option));
    std::string job = text;
    job.replace(job.find("OPTION"), 6, row.option);
    const Finished run = bench.run(job);
    INFO(run.err);
    CHECK(run.code == 3);
    CHECK(run.out == "");
    CHECK(run.err.find("job.yaml:9:7 error: phases[0].engine.") != std::string::npos);
    CHECK(run.err.find(row.complaint) != std::string::npos);
    CHECK(bench.diskproof({"plan", bench.path("job.yaml")}).code == 3);
    CHECK_FALSE(std::filesystem::exists(bench.path("out")));
  }
}

TEST_CASE("an option that does not exist is refused with the one that was meant") {
  const Bench bench;
  const Finished run = bench.diskproof({"run", "job.yaml", "--quite"});
  CHECK(run.code == 3);
  CHECK(run.err.find("did you mean --quiet?") != std::string::npos);
}

}  // namespace diskproof::testing
