// The terminal view and the progress of a run.
#include <algorithm>
#include <doctest/doctest.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "report/columns.hpp"
#include "report/console_writer.hpp"
#include "report/progress.hpp"
#include "unit/report/fixtures.hpp"

namespace diskproof::testing {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST_CASE("console: the last line is the verdict with its exit code") {
  struct Row {
    const char *fixture, *line;
  };
  const Row rows[] = {
      {"pass.exit0", "PASS: everything was measured, nothing failed (exit code 0)"},
      {"skipped.exit0", "PASS: nothing failed; 1 phase was skipped (exit code 0)"},
      {"fail.exit1", "FAIL: a threshold does not hold (exit code 1)"},
      {"killed.exit2", "ERROR: something could not be measured (exit code 2)"},
      {"refused.exit4", "REFUSED: the run would not have been safe (exit code 4)"},
      {"inconclusive.exit5", "INCONCLUSIVE: nothing failed, but not everything could be decided (exit code 5)"},
      {"interrupted.exit130", "INTERRUPTED: ended before it was complete (exit code 130)"},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.fixture));
    CHECK(lines_of(to_console(fixture(row.fixture), {})).back() == row.line);
  }
}

TEST_CASE("console: where nothing was measured the last line does not say pass") {
  RunReport report = fixture("skipped.exit0");
  report.outcome = Outcome::skipped;
  CHECK(lines_of(to_console(report, {})).back() == "SKIPPED: nothing was measured (exit code 0)");
}

TEST_CASE("console: a phase is skipped once with all its preconditions, layouts and groups do not count") {
  RunReport report = fixture("skipped.exit0");
  const PhaseReport left_out = report.phases[1];
  REQUIRE(left_out.outcome == Outcome::skipped);
  PhaseReport other = left_out;
  other.name = "extra";
  PhaseReport fill = left_out;
  fill.name = "extra/precondition/sequential";
  fill.kind = "precondition";
  PhaseReport group = left_out;
  group.kind = "group";
  PhaseReport layout = left_out;
  layout.kind = "layout";
  for (const PhaseReport& more : {other, fill, group, layout}) {
    report.phases.push_back(more);
    report.plan.phases.push_back(report.plan.phases[1]);
  }
  CHECK(lines_of(to_console(report, {})).back() == "PASS: nothing failed; 2 phases were skipped (exit code 0)");
}

TEST_CASE("console: lines fit 100 columns unless a single word does not") {
  for (const Fixture& fixture : fixtures()) {
    if (fixture.name == "hostile.exit2") continue;  // its names are longer than that
    CAPTURE(fixture.name);
    for (const std::string& line : lines_of(to_console(fixture.report, {}))) {
      CAPTURE(line);
      CHECK(display_width(line) <= kTerminalColumns);
    }
  }
}

TEST_CASE("console: colour changes nothing but the colour - and is off unless asked for") {
  for (const Fixture& fixture : fixtures()) {
    CAPTURE(fixture.name);
    const std::string plain = to_console(fixture.report, {});
    std::string coloured = to_console(fixture.report, {.color = true, .written = {}});
    CHECK(plain.find('\x1B') == std::string::npos);
    CHECK(coloured.find('\x1B') != std::string::npos);
    for (std::size_t at = 0; (at = coloured.find('\x1B')) != std::string::npos;) {
      coloured.erase(at, coloured.find('m', at) + 1 - at);
    }
    CHECK(coloured == plain);
  }
}

TEST_CASE("console: a fault is said once, however many phases it kept from running") {
  RunReport report = fixture("refused.exit4");
  const std::string fault = "disk data: the folder /srv/none is not there";
  report.reason = report.preparation[0].reason = fault;
  for (PhaseReport& phase : report.phases) phase.reason = "not run because the preparation ended: " + fault;
  for (PhaseReport& phase : report.phases) {
    for (ThresholdResult& result : phase.thresholds) result.reason = phase.reason;
  }
  const std::string text = to_console(report, {});
  CHECK(text.find(fault) != std::string::npos);
  CHECK(text.find(fault) == text.rfind(fault));
  CHECK(text.find("layout/data, write_iops, mixed: not run because the preparation ended\n") != std::string::npos);
}

TEST_CASE("console: a threshold that was not measured says where its reason stands") {
  const std::string text = to_console(fixture("killed.exit2"), {});
  CAPTURE(text);
  CHECK(text.find("write_iops: write.iops >= 95% of limit (does not count: see errors)\n") != std::string::npos);
  CHECK(text.find("write_iops: the phase's process was ended by signal 11") != std::string::npos);
}

TEST_CASE("console: an engine of a list that was passed over is told, once for phases in a row") {
  RunReport report = fixture("pass.exit0");
  for (PhasePlan& phase : report.plan.phases) {
    phase.engine.name = "sync";
    phase.engine.passed_over = {{"io_uring", "the kernel forbids it"}, {"libaio", "not built"}};
  }
  const std::string text = to_console(report, {});
  CAPTURE(text);
  CHECK(text.find(
            "\nengines\n  engine        write_iops, mixed: sync, as io_uring cannot be used (the kernel forbids it), "
            "and\n                libaio cannot be used (not built)\n") != std::string::npos);
  CHECK(to_console(fixture("pass.exit0"), {}).find("\nengines\n") == std::string::npos);
}

TEST_CASE("console: I/O errors beyond those that are listed are counted") {
  RunReport report = fixture("pass.exit0");
  RunData data = *report.phases[1].data;
  data.directions[1].errors = 12;
  report.phases[1].data = std::make_shared<const RunData>(data);
  report.phases[1].io_errors = {{Direction::write, 4096, 4096, 1, 5, "the medium failed"}};
  const std::string text = to_console(report, {});
  CAPTURE(text);
  CHECK(text.find("I/O error     write_iops: write of 4096 bytes at offset 4096: the medium failed\n") !=
        std::string::npos);
  CHECK(text.find("I/O error     write_iops: 11 more, of which only the number is known") != std::string::npos);
}

TEST_CASE("console: hostile text neither moves the cursor nor breaks a line of the table") {
  const std::string text = to_console(fixture("hostile.exit2"), {});
  for (const char c : {'\x1B', '\a', '\r', '\x01', '\0'}) {
    CAPTURE(static_cast<int>(c));
    CHECK(text.find(c) == std::string::npos);
  }
  RunReport report = fixture("killed.exit2");
  report.phases[1].log_tail = "10%\r20%\r\n";
  CHECK(to_console(report, {}).find('\r') == std::string::npos);
}

TEST_CASE("console: a mixed phase has a row per direction - an unmeasured one dashes") {
  const std::string mixed = to_console(fixture("pass.exit0"), {});
  CHECK(mixed.find("mixed        io_uring read      2,100") != std::string::npos);
  CHECK(mixed.find("                      write       900") != std::string::npos);
  CHECK(to_console(fixture("killed.exit2"), {}).find("write_iops   io_uring -             -") != std::string::npos);
}

TEST_CASE("console: flushes have a row of their own - those of a layout have none") {
  RunReport report = fixture("pass.exit0");
  const std::size_t before = lines_of(to_console(report, {})).size();
  std::size_t measured = 0;
  for (PhaseReport& phase : report.phases) {
    phase.metrics.set("sync.operations", 9);
    phase.metrics.set("sync.iops", 4711);
    measured += phase.kind == "measure" ? 1 : 0;
  }
  const std::vector<std::string> lines = lines_of(to_console(report, {}));
  CHECK(measured > 0);
  CHECK(lines.size() == before + measured);
  const auto is_row = [](const std::string& line) {
    const std::size_t word = line.find(" sync ");
    return word != std::string::npos && line.find(" 4,711 ", word) != std::string::npos;
  };
  CHECK(static_cast<std::size_t>(std::ranges::count_if(lines, is_row)) == measured);
}

TEST_CASE("console: a broken warn-threshold reads as a warning") {
  const std::string text = to_console(fixture("fail.exit1"), {});
  CHECK(text.find("  warning       write_iops: write.iops <= 105% of limit\n") != std::string::npos);
  CHECK(text.find("  FAIL          mixed: read.latency.p99.9 <= 20ms\n") != std::string::npos);
}

TEST_CASE("console: wrapping breaks at spaces - keeps a number with its unit and later lines indented") {
  const std::string text = wrap(std::string(80, 'a') + " bbbb 12 ms " + std::string(120, 'c'), 10);
  CHECK(text == std::string(80, 'a') + " bbbb\n          12 ms\n          " + std::string(120, 'c'));
  CHECK(wrap("", 4) == "");
  CHECK(wrap("a\nb", 2) == "a\n  b");
}

TEST_CASE("progress: the line shows what is known and fits the terminal") {
  Progress progress{.phase = "write_iops",
                    .kind = "measure",
                    .elapsed = 21.7,
                    .total = 60.0,
                    .done = {},
                    .iops = 30012.0,
                    .bandwidth = 122.93e6};
  CHECK(progress_line(progress) ==
        "write_iops               measure [#######.............]  36% 0:21/1:00 30,012 IOPS 123 MB/s");
  progress = {.phase = std::string(300, 'n') + "é",
              .kind = "measure",
              .elapsed = 1e12,
              .total = 1e12,
              .done = 2.0,
              .iops = 1e15,
              .bandwidth = 1e15};
  CHECK(display_width(progress_line(progress)) <= kTerminalColumns);
  progress = {.phase = "fill\x1B[2J",
              .kind = "layout",
              .elapsed = -1,
              .total = {},
              .done = std::numeric_limits<double>::quiet_NaN(),
              .iops = {},
              .bandwidth = {}};
  CHECK(progress_line(progress) == "fill                     layout  0:00");
}

TEST_CASE("progress: of several runs it says which") {
  const Progress progress{.phase = "a phase with a long name indeed",
                          .run = 2,
                          .runs = 15,
                          .kind = "warmup",
                          .elapsed = 1,
                          .total = {},
                          .done = {},
                          .iops = {},
                          .bandwidth = {}};
  CHECK(progress_line(progress) == "a phase wit… run 2 of 15 warmup  0:01");
  CHECK(tick_event(progress).find(R"("run":2)") != std::string::npos);
}

TEST_CASE("console: of several runs the table shows the score, and below it stand median and spread") {
  const std::string text = to_console(fixture("repeated.exit1"), {});
  CHECK(text.find("write_iops   io_uring write     3,300") != std::string::npos);
  CHECK(
      text.find("best of 2     write_iops: write.iops 3,300/s; median 3,125/s, spread 11.2 % (2,950/s to 3,300/s)\n") !=
      std::string::npos);
}

TEST_CASE("console: of a group it says which window a number is of") {
  const std::string text = to_console(fixture("group.exit1"), {});
  CHECK(text.find("  whole run     together: 1 s to 4 s: read.iops 2,100/s") != std::string::npos);
  CHECK(text.find("  in common     together: 1 s to 4 s: read.iops 2,100/s") != std::string::npos);
  CHECK(text.find("  FAIL          together: total.iops >= 9000\n") != std::string::npos);
}

TEST_CASE("progress: every event is one line of JSON that says what it is") {
  const RunReport& report = fixture("hostile.exit2");
  struct Row {
    const char* event;
    std::string line;
  };
  const Row rows[] = {
      {"run_started", run_started_event(report)},
      {"phase_started", phase_started_event(report.plan.phases[1])},
      {"tick", tick_event({.phase = "p",
                           .kind = "measure",
                           .elapsed = 1,
                           .total = {},
                           .done = {},
                           .iops = 2.5,
                           .bandwidth = std::numeric_limits<double>::infinity()})},
      {"finding", finding_event(report.phases[1].name, report.phases[1].findings[0])},
      {"phase_finished", phase_finished_event(report.phases[1])},
      {"run_finished", run_finished_event(report)},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.event));
    CHECK(row.line.find('\n') == std::string::npos);
    const auto json = nlohmann::ordered_json::parse(row.line);
    CHECK(json.begin().key() == "event");
    CHECK(json["event"] == row.event);
    CHECK(row.line.find("null") == std::string::npos);
  }
  CHECK(rows[2].line == R"({"event":"tick","phase":"p","kind":"measure","elapsed":1.0,"iops":2.5})");
}

TEST_CASE("progress: phase_finished carries metrics and thresholds - run_finished the exit code") {
  const RunReport& report = fixture("fail.exit1");
  const auto phase = nlohmann::ordered_json::parse(phase_finished_event(report.phases[2]));
  CHECK(phase["outcome"] == "fail");
  CHECK(phase["metrics"]["read.iops"] == 2100);
  CHECK(phase["thresholds"][1]["outcome"] == "fail");
  CHECK(phase["thresholds"][1]["observed"] == 24'000'000);
  CHECK(nlohmann::ordered_json::parse(run_finished_event(report))["exit_code"] == 1);
}

}  // namespace
}  // namespace diskproof::testing
