// Turns outcomes, reasons and findings of the model into cases; invents nothing that the model does not say.
#include "report/junit_cases.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "plan/disk_steps.hpp"
#include "report/facts.hpp"
#include "report/groups.hpp"
#include "report/repeats.hpp"
#include "report/run_report.hpp"
#include "report/verification.hpp"

namespace diskproof {
namespace {

using End = JunitCase::End;

constexpr std::size_t kFaultDetails = 20;  // all that are known are in result.json

std::string finding_line(const Finding& finding) {
  const std::string advice = finding.advice.empty() ? "" : "; " + finding.advice;
  return fmt::format("{}: {}{}", finding.name, finding.text, advice);
}

// Findings that are errors go to the body of the case, the others to its output.
void add_findings(JunitCase& test, const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    if (finding.level == FindingLevel::error) {
      test.details.push_back(finding_line(finding));
    } else {
      test.output +=
          fmt::format("{}{}\n", finding.level == FindingLevel::warn ? "warning: " : "", finding_line(finding));
    }
  }
}

const Finding* first_error(const std::vector<Finding>& findings) {
  const auto found = std::ranges::find(findings, FindingLevel::error, &Finding::level);
  return found == findings.end() ? nullptr : &*found;
}

// Did the phase itself fail, or only a threshold of it that could not be judged?
bool is_unmeasured(const PhaseReport& phase) {
  if (phase.outcome != Outcome::error) return false;
  const bool threshold_explains =
      std::ranges::any_of(phase.thresholds, [](const auto& result) { return result.outcome == Outcome::error; });
  return !phase.reason.empty() || (phase.runs.empty() && !phase.data) || first_error(phase.findings) ||
         !threshold_explains;
}

std::string error_type(const PhaseReport& phase) {
  if (phase.interrupted) return "Interrupted";
  if (phase.stuck) return "StuckIo";
  if (phase.started_at.empty()) return "NotRun";
  if (!phase.io_errors.empty()) return "IoError";
  if (first_error(phase.findings)) return "InvalidMeasurement";
  return "NotMeasured";
}

std::string first_of(std::initializer_list<std::string_view> texts) {
  for (const std::string_view text : texts) {
    if (!text.empty()) return std::string(text);
  }
  return {};
}

JunitCase runs_case(const RunReport& report, const PhaseReport& phase, const std::string& classname) {
  JunitCase test{.classname = classname, .name = "runs", .seconds = phase.seconds};
  for (const std::string& line : run_lines(report, phase)) test.output += line + "\n";
  for (const GroupLine& line : group_lines(phase)) test.output += line.window + ", " + line.text + "\n";
  add_findings(test, phase.findings);
  for (std::string& line : io_error_lines(phase)) test.details.push_back(std::move(line));
  if (phase.stuck) test.details.push_back(describe(*phase.stuck));
  test.log = phase.log_tail;
  while (test.log.ends_with('\n')) test.log.pop_back();
  if (phase.outcome == Outcome::skipped) {
    test.end = End::skipped;
    test.message = phase.reason;
  } else if (is_unmeasured(phase)) {
    const Finding* finding = first_error(phase.findings);
    test.end = End::error;
    test.type = error_type(phase);
    test.message = first_of({phase.reason, finding ? finding->text : "", "the phase was not measured"});
    // The body is all that some readers show, so the child's last words belong there.
    if (!test.log.empty()) test.details.push_back("the last lines of its output:\n" + std::exchange(test.log, {}));
  } else {  // details: errors within what the job tolerates
    for (const std::string& line : std::exchange(test.details, {})) test.output += line + "\n";
    if (phase.outcome == Outcome::pass && !phase.reason.empty()) test.output += phase.reason + "\n";
  }
  return test;
}

JunitCase threshold_case(const ThresholdResult& result, const std::string& classname) {
  JunitCase test{.classname = classname, .name = result.check};
  const std::string reason = first_of({result.reason, result.check});
  const bool tolerated = result.warn && (result.outcome == Outcome::fail || result.outcome == Outcome::inconclusive);
  if (tolerated) {
    test.output = "warning: " + reason + "\n";
    return test;
  }
  if (result.outcome == Outcome::pass) {
    test.output = result.reason.empty() ? "" : result.reason + "\n";
    return test;
  }
  test.message = reason;
  test.details = threshold_facts(result);
  switch (result.outcome) {
    case Outcome::fail:
      test.end = End::failure, test.type = "ThresholdExceeded";
      break;
    case Outcome::inconclusive:
      test.end = End::failure, test.type = "Inconclusive";
      break;
    case Outcome::skipped:
      test.end = End::skipped;
      break;
    default:
      test.end = End::error, test.type = "NotMeasured";
      break;
  }
  return test;
}

bool is_broken(const StepReport& step) { return step.outcome != Outcome::pass && step.outcome != Outcome::skipped; }

std::string step_line(const StepReport& step) {
  return fmt::format("{}: {}{}", step.name, to_string(step.outcome), step.reason.empty() ? "" : ", " + step.reason);
}

// How many steps there are and what they are called depends on what was found and made; the disks do not.
JunitCase disk_case(const RunReport& report, const DiskPlan& disk, const std::string& classname) {
  JunitCase test{.classname = classname, .name = "disk " + disk.name};
  std::vector<std::string> lines;
  for (const StepReport& step : report.preparation) {
    if (step.disk != disk.name) continue;
    test.seconds += step.seconds;
    lines.push_back(step_line(step));
    if (!is_broken(step) || test.end == End::error) continue;
    test.end = End::error;
    test.type = "StepFailed";
    test.message = first_of({step.reason, step.name});
  }
  if (lines.empty()) {
    test.end = End::error;
    test.type = "NotRun";
    test.message = first_of({report.reason, "no step was taken on this disk"});
  } else if (test.end == End::error) {
    test.details = std::move(lines);
  } else {
    for (const std::string& line : lines) test.output += line + "\n";
  }
  return test;
}

// One declared step; `nth` of its name on this disk.
JunitCase step_case(const RunReport& report, const DiskPlan& disk, const std::string& verb, std::size_t nth,
                    const std::string& classname) {
  JunitCase test{.classname = classname, .name = "disk " + disk.name + ": " + verb};
  for (const StepReport& step : report.preparation) {
    if (step.disk != disk.name || step.name != verb + " " + disk.name || nth-- > 0) continue;
    test.seconds = step.seconds;
    test.output = step.output;
    if (!is_broken(step)) return test;
    test.end = End::error;
    test.type = "StepFailed";
    test.message = first_of({step.reason, step.name});
    return test;
  }
  test.end = End::error;
  test.type = "NotRun";
  test.message = first_of({report.reason, "the steps before it did not succeed"});
  return test;
}

void add_step_cases(const RunReport& report, const DiskPlan& disk, const std::string& classname,
                    std::vector<JunitCase>& cases) {
  std::map<std::string, std::size_t> seen;
  for (const std::string& verb : disk_steps(disk)) {
    cases.push_back(step_case(report, disk, verb, seen[verb]++, classname));
  }
}

// The run as a whole, for what belongs to no phase and no disk: a refusal, an interruption, findings of the run.
JunitCase run_case(const RunReport& report, const std::string& classname) {
  JunitCase test{.classname = classname, .name = "run"};
  add_findings(test, report.findings);
  const Finding* finding = first_error(report.findings);
  test.message = first_of({report.reason, finding ? finding->text : ""});
  for (const StepReport& step : report.preparation) {
    if (std::ranges::find(report.plan.disks, step.disk, &DiskPlan::name) != report.plan.disks.end()) continue;
    test.seconds += step.seconds;
    if (!is_broken(step)) continue;
    test.details.push_back(step_line(step));
    test.message = first_of({test.message, step.reason, step.name});
  }
  if (test.message.empty()) return test;
  test.end = End::error;
  const auto code = static_cast<ExitCode>(report.exit_code);
  test.type = code == ExitCode::refused ? "Refused" : code == ExitCode::interrupted ? "Interrupted" : "RunFailed";
  return test;
}

// Trackers match on (classname, name): a repeated name gets its position among its equals.
void make_names_unique(std::vector<JunitCase>& cases) {
  std::map<std::string, int> seen;
  for (JunitCase& test : cases) {
    if (const int times = ++seen[test.name]; times > 1) test.name += fmt::format(" #{}", times);
  }
}

JunitSuite preparation_suite(const RunReport& report) {
  JunitSuite suite{.name = "preparation", .started_at = report.started_at, .properties = run_facts(report)};
  const std::string classname = report.plan.job_name + ".preparation";
  suite.cases.push_back(run_case(report, classname));
  for (const DiskPlan& disk : report.plan.disks) {
    suite.cases.push_back(disk_case(report, disk, classname));
    add_step_cases(report, disk, classname, suite.cases);
  }
  make_names_unique(suite.cases);
  for (const JunitCase& test : suite.cases) suite.seconds += test.seconds;
  return suite;
}

JunitSuite phase_suite(const RunReport& report, const PhaseReport& phase) {
  JunitSuite suite{.name = phase.name,
                   .started_at = phase.started_at,
                   .seconds = phase.seconds,
                   .properties = phase_facts(report, phase)};
  for (const auto& [name, value] : phase.metrics.all()) suite.properties.emplace_back(name, plain_number(value));
  if (phase.common) {
    for (const auto& [name, value] : phase.common->metrics.all())
      suite.properties.emplace_back("common." + name, plain_number(value));
  }
  const std::string classname = report.plan.job_name + "." + phase.name;
  suite.cases.push_back(runs_case(report, phase, classname));
  for (const ThresholdResult& result : phase.thresholds) {
    JunitCase& test = suite.cases.emplace_back(threshold_case(result, classname));
    if (result.check != kVerifiedCheck || result.outcome == Outcome::pass) continue;
    for (std::string& line : fault_lines(phase, kFaultDetails)) test.details.push_back(std::move(line));
  }
  make_names_unique(suite.cases);
  return suite;
}

}  // namespace

std::size_t JunitSuite::count(JunitCase::End end) const {
  return static_cast<std::size_t>(std::ranges::count(cases, end, &JunitCase::end));
}

std::vector<JunitSuite> junit_suites(const RunReport& report) {
  std::vector<JunitSuite> suites{preparation_suite(report)};
  for (const PhaseReport& phase : report.phases) suites.push_back(phase_suite(report, phase));
  return suites;
}

}  // namespace diskproof
