// The promises of a JUnit report that a schema cannot express, over every way a run can end.
#include <cstring>
#include <doctest/doctest.h>
#include <pugixml.hpp>
#include <set>
#include <string>

#include "report/junit_cases.hpp"
#include "report/junit_writer.hpp"
#include "unit/report/fixtures.hpp"

namespace diskproof::testing {
namespace {

pugi::xml_document parsed(const RunReport& report) {
  pugi::xml_document document;
  const std::string text = to_junit(report);
  REQUIRE(document.load_buffer(text.data(), text.size(), pugi::parse_full));
  return document;
}

using Names = std::vector<std::pair<std::string, std::string>>;

Names case_names(const RunReport& report) {
  Names names;
  for (const JunitSuite& suite : junit_suites(report)) {
    for (const JunitCase& test : suite.cases) names.emplace_back(test.classname, test.name);
  }
  return names;
}

JunitCase find_case(const std::vector<JunitSuite>& suites, const std::string& suite_name, const std::string& name) {
  for (const JunitSuite& suite : suites) {
    for (const JunitCase& test : suite.cases) {
      if (suite.name == suite_name && test.name == name) return test;
    }
  }
  throw std::logic_error("no case " + name);
}

unsigned count_children(const pugi::xml_node& suite, const char* kind) {
  unsigned count = 0;
  for (const pugi::xml_node test : suite.children("testcase")) count += test.child(kind) ? 1U : 0U;
  return count;
}

TEST_CASE("junit: the counts are those of the children - in every suite and in all") {
  for (const Fixture& fixture : fixtures()) {
    CAPTURE(fixture.name);
    const pugi::xml_document document = parsed(fixture.report);
    const pugi::xml_node root = document.child("testsuites");
    unsigned tests = 0, failures = 0, errors = 0;
    for (const pugi::xml_node suite : root.children("testsuite")) {
      CAPTURE(std::string(suite.attribute("name").value()));
      const auto cases =
          static_cast<unsigned>(std::distance(suite.children("testcase").begin(), suite.children("testcase").end()));
      CHECK(suite.attribute("tests").as_uint() == cases);
      CHECK(suite.attribute("failures").as_uint() == count_children(suite, "failure"));
      CHECK(suite.attribute("errors").as_uint() == count_children(suite, "error"));
      CHECK(suite.attribute("skipped").as_uint() == count_children(suite, "skipped"));
      tests += cases;
      failures += count_children(suite, "failure");
      errors += count_children(suite, "error");
    }
    CHECK(root.attribute("tests").as_uint() == tests);
    CHECK(root.attribute("failures").as_uint() == failures);
    CHECK(root.attribute("errors").as_uint() == errors);
  }
}

TEST_CASE("junit: the cases are the same however the run ended") {
  const Names expected = case_names(fixture("pass.exit0"));
  CHECK(expected.size() == 9);
  for (const Fixture& fixture : fixtures()) {
    CAPTURE(fixture.name);
    const bool same_job = fixture.name != "hostile.exit2" && fixture.name != "group.exit1";
    if (same_job) CHECK(case_names(fixture.report) == expected);
  }
}

TEST_CASE("junit: no two cases share classname and name - even when the job repeats a check") {
  RunReport report = fixture("fail.exit1");
  report.phases[1].thresholds.push_back(report.phases[1].thresholds[0]);
  const Names names = case_names(report);
  CHECK(std::set(names.begin(), names.end()).size() == names.size());
}

TEST_CASE("junit: the body begins with the message - for readers that show only one of them") {
  for (const Fixture& fixture : fixtures()) {
    CAPTURE(fixture.name);
    const pugi::xml_document document = parsed(fixture.report);
    for (const auto& match : document.select_nodes("//failure | //error | //skipped")) {
      const std::string message = match.node().attribute("message").value();
      CAPTURE(message);
      CHECK(!message.empty());
      CHECK(std::string(match.node().text().get()).starts_with(message));
    }
  }
}

TEST_CASE("junit: the suites agree with the outcome and the exit code") {
  for (const Fixture& fixture : fixtures()) {
    CAPTURE(fixture.name);
    std::size_t failures = 0, errors = 0;
    for (const JunitSuite& suite : junit_suites(fixture.report)) {
      failures += suite.count(JunitCase::End::failure);
      errors += suite.count(JunitCase::End::error);
    }
    const int code = fixture.report.exit_code;
    CHECK((errors > 0) == (code == 2 || code == 4 || code == 130));
    if (errors == 0) CHECK((failures > 0) == (code == 1 || code == 5));
  }
}

TEST_CASE("junit: each outcome of a threshold has its element") {
  using End = JunitCase::End;
  struct Row {
    const char* name;
    Outcome outcome;
    bool warn;
    End end;
    const char *type, *output;
  };
  const Row rows[] = {
      {"held", Outcome::pass, false, End::pass, "", "why\n"},
      {"broken", Outcome::fail, false, End::failure, "ThresholdExceeded", ""},
      {"broken, warn only", Outcome::fail, true, End::pass, "", "warning: why\n"},
      {"undecided", Outcome::inconclusive, false, End::failure, "Inconclusive", ""},
      {"undecided, warn only", Outcome::inconclusive, true, End::pass, "", "warning: why\n"},
      {"unmeasured", Outcome::error, false, End::error, "NotMeasured", ""},
      {"unmeasured, warn only", Outcome::error, true, End::error, "NotMeasured", ""},
      {"left out", Outcome::skipped, false, End::skipped, "", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.name));
    RunReport report = fixture("pass.exit0");
    ThresholdResult& result = report.phases[1].thresholds[0];
    result.outcome = row.outcome;
    result.warn = row.warn;
    result.reason = "why";
    const auto suites = junit_suites(report);
    const JunitCase& test = find_case(suites, "write_iops", result.check);
    CHECK(test.end == row.end);
    CHECK(test.type == row.type);
    CHECK(test.output == row.output);
    CHECK(test.message == (row.end == End::pass ? "" : "why"));
  }
}

TEST_CASE("junit: the case runs says why a phase was not measured") {
  struct Row {
    const char *fixture, *phase, *type, *message;
  };
  const Row rows[] = {
      {"killed.exit2", "write_iops", "NotMeasured", "the phase's process was ended by signal 11 (SIGSEGV)"},
      {"killed.exit2", "mixed", "NotRun", "not run because write_iops ended in error"},
      {"stuck.exit2", "write_iops", "StuckIo",
       "an I/O did not complete within 60 s and the phase's process could not be ended"},
      {"invalid.exit2", "mixed", "InvalidMeasurement", "/srv/data.bin lies on tmpfs"},
      {"refused.exit4", "layout/data", "NotRun", "not run because the disk data was refused"},
      {"interrupted.exit130", "write_iops", "Interrupted", "interrupted by SIGINT after 0.7 s"},
      {"interrupted.exit130", "mixed", "NotRun", "not run because the run was interrupted"},
      {"pass.exit0", "mixed", "", ""},
      {"fail.exit1", "mixed", "", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.fixture));
    CAPTURE(std::string(row.phase));
    const auto suites = junit_suites(fixture(row.fixture));
    const JunitCase& test = find_case(suites, row.phase, "runs");
    CHECK((test.end == JunitCase::End::error) == (std::strlen(row.type) > 0));
    CHECK(test.type == row.type);
    CHECK(test.message == row.message);
  }
}

TEST_CASE("junit: a threshold that could not be judged does not make the run of its phase an error") {
  RunReport report = fixture("pass.exit0");
  report.phases[1].outcome = Outcome::error;
  report.phases[1].thresholds[0].outcome = Outcome::error;
  const auto suites = junit_suites(report);
  CHECK(find_case(suites, "write_iops", "runs").end == JunitCase::End::pass);
  CHECK(find_case(suites, "write_iops", report.phases[1].thresholds[0].check).end == JunitCase::End::error);
}

TEST_CASE("junit: what ends the whole run is an error of its own case") {
  struct Row {
    const char *fixture, *type;
  };
  for (const Row& row :
       {Row{"refused.exit4", "Refused"}, Row{"interrupted.exit130", "Interrupted"}, Row{"pass.exit0", ""}}) {
    CAPTURE(std::string(row.fixture));
    const auto suites = junit_suites(fixture(row.fixture));
    const JunitCase& test = find_case(suites, "preparation", "run");
    CHECK(test.type == row.type);
    CHECK(test.message == fixture(row.fixture).reason);
  }
}

TEST_CASE("junit: the case of a disk is an error when a step on it failed or none was taken") {
  RunReport report = fixture("pass.exit0");
  const auto disk = [&] { return find_case(junit_suites(report), "preparation", "disk data"); };
  CHECK(disk().end == JunitCase::End::pass);
  report.preparation[2].outcome = Outcome::error;
  report.preparation[2].reason = "no space";
  CHECK(disk().type == "StepFailed");
  CHECK(disk().message == "no space");
  report.preparation.clear();
  CHECK(disk().type == "NotRun");
}

TEST_CASE("junit: a failed step that belongs to no disk is an error of the run") {
  RunReport report = fixture("pass.exit0");
  report.preparation[1].outcome = Outcome::error;
  report.preparation[1].reason = "2 GiB are free - 3 GiB are needed";
  const JunitCase test = find_case(junit_suites(report), "preparation", "run");
  CHECK(test.type == "RunFailed");
  CHECK(test.message == report.preparation[1].reason);
}

TEST_CASE("junit: a phase that passed without running says why") {
  RunReport report = fixture("pass.exit0");
  report.phases[0].runs.clear();
  report.phases[0].reason = "written by an earlier run";
  const JunitCase test = find_case(junit_suites(report), "layout/data", "runs");
  CHECK(test.end == JunitCase::End::pass);
  CHECK(test.output == "written by an earlier run\n");
}

TEST_CASE("junit: metrics are properties of the suite - and what was not measured is absent") {
  const auto properties = [](const RunReport& report, std::size_t suite) {
    std::set<std::string> names;
    const auto suites = junit_suites(report);
    for (const auto& [name, value] : suites.at(suite).properties) names.insert(name + "=" + value);
    return names;
  };
  CHECK(properties(fixture("pass.exit0"), 2).contains("write.iops=2950"));
  CHECK(properties(fixture("pass.exit0"), 2).contains("engine=io_uring"));
  CHECK(properties(fixture("pass.exit0"), 2).contains("seed=42"));
  for (const std::string& property : properties(fixture("killed.exit2"), 2)) CHECK(!property.starts_with("write."));
}

TEST_CASE("junit: the text of a case is capped - its beginning and end kept") {
  RunReport report = fixture("killed.exit2");
  report.phases[1].log_tail = "first" + std::string(1'000'000, '<') + "last";
  report.phases[1].findings = {{"over_limit", FindingLevel::warn, std::string(1'000'000, 'f'), ""}};
  const pugi::xml_document document = parsed(report);
  const pugi::xml_node test = document.select_node("//testsuite[@name='write_iops']/testcase[@name='runs']").node();
  const std::string body = test.child("error").text().get();
  CHECK(body.size() + std::strlen(test.child("system-out").text().get()) <= 64 * 1024);
  CHECK(body.starts_with(report.phases[1].reason));
  CHECK(body.ends_with("last"));
}

TEST_CASE("junit: times are plain decimals without sign or exponent") {
  RunReport report = fixture("pass.exit0");
  report.phases[0].seconds = 1e-9;
  report.phases[1].seconds = -0.5;
  report.phases[2].seconds = 1e7;
  const pugi::xml_document document = parsed(report);
  CHECK(std::string(document.select_node("//testsuite[@id='1']/@time").attribute().value()) == "0.000");
  CHECK(std::string(document.select_node("//testsuite[@id='2']/@time").attribute().value()) == "0.000");
  CHECK(std::string(document.select_node("//testsuite[@id='3']/@time").attribute().value()) == "10000000.000");
}

}  // namespace
}  // namespace diskproof::testing
