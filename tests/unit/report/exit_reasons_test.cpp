// Nothing but an exit code is no answer: each ending that is not a pass has its reason.
#include "report/exit_reasons.hpp"

#include <doctest/doctest.h>

#include "unit/report/fixtures.hpp"

namespace diskproof::testing {
namespace {

std::string text_of(const RunReport& report) {
  std::string text;
  for (const std::string& line : exit_reasons(report)) text += line + "\n";
  return text;
}

// No job of this world: of two disks the first could not be made.
RunReport half_prepared() {
  RunReport report = fixture("pass.exit0");
  const std::string why = "mkfs.ext4 said: no";
  report.preparation.push_back(
      {.name = "mkfs.ext4 d", .disk = "d", .outcome = Outcome::error, .reason = why, .seconds = 0});
  for (PhaseReport& phase : report.phases) {
    phase.outcome = Outcome::error;
    phase.reason = "not run because disk d could not be prepared: " + why;
  }
  report.outcome = Outcome::error;
  report.exit_code = 2;
  return report;
}

TEST_CASE("exit reasons: a pass has none, every other ending has one") {
  for (const Fixture& fixture : fixtures()) {
    CAPTURE(fixture.name);
    CHECK(exit_reasons(fixture.report).empty() == (fixture.report.exit_code == 0));
  }
}

TEST_CASE("exit reasons: a threshold that failed is named, and so is why a run was refused") {
  const RunReport failed = fixture("fail.exit1");
  for (const PhaseReport& phase : failed.phases) {
    for (const ThresholdResult& result : phase.thresholds) {
      if (result.outcome == Outcome::fail && !result.warn) {
        CHECK(text_of(failed).find(result.check) != std::string::npos);
      }
    }
  }
  const RunReport refused = fixture("refused.exit4");
  REQUIRE_FALSE(refused.reason.empty());
  CHECK(exit_reasons(refused).front() == refused.reason);
}

TEST_CASE("exit reasons: a disk that could not be made is said once, not again with each of its phases") {
  const RunReport report = half_prepared();
  const std::string text = text_of(report);
  CAPTURE(text);
  CHECK(text.find("mkfs.ext4 said: no") != std::string::npos);
  CHECK(text.find("mkfs.ext4 said: no") == text.rfind("mkfs.ext4 said: no"));
}

TEST_CASE("exit reasons: of very many the first are told, and how many more there are") {
  RunReport report = half_prepared();
  for (int i = 0; i < 40; ++i) {
    PhaseReport phase = report.phases.front();
    PhasePlan plan = report.plan.phases.front();
    phase.name = plan.name = "extra" + std::to_string(i);
    phase.reason = "fault " + std::to_string(i) + ".";
    report.phases.push_back(phase);
    report.plan.phases.push_back(plan);
  }
  const std::vector<std::string> lines = exit_reasons(report);
  CHECK(lines.size() == 11);
  CHECK(lines.back().starts_with("and "));
}

}  // namespace
}  // namespace diskproof::testing
