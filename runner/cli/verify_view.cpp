// Rows of the table, and the mapping of outcomes to JUnit's four.
#include "cli/verify_view.hpp"

#include <fmt/format.h>
#include <utility>

#include "conformance/order.hpp"
#include "report/junit_cases.hpp"
#include "report/junit_writer.hpp"
#include "report/xml.hpp"
#include "support/printable.hpp"

namespace diskproof {
namespace {

const char* word_of(RuleOutcome outcome) {
  return outcome == RuleOutcome::violation ? "VIOLATION" : outcome_name(outcome);
}

JunitCase case_of(const RuleResult& rule, std::string_view engine, bool interrupted) {
  using End = JunitCase::End;
  JunitCase test;
  test.classname = fmt::format("diskproof.engine.{}", engine);
  test.name = rule.name;
  test.seconds = rule.seconds;
  test.details = {fmt::format("rule: {}", rule.promise)};
  test.log = rule.log;
  switch (rule.verdict.outcome) {
    case RuleOutcome::pass:
      test.output = rule.promise + (rule.verdict.note.empty() ? "" : ": " + rule.verdict.note);
      return test;
    case RuleOutcome::violation:
      test.end = End::failure;
      test.type = "Violation";
      break;
    case RuleOutcome::cannot_run:
      test.end = End::error;
      test.type = "NotRun";
      break;
    case RuleOutcome::not_applicable:
      test.end = End::skipped;
      break;
    case RuleOutcome::not_run:
      test.end = interrupted ? End::error : End::skipped;
      if (interrupted) test.type = "Interrupted";
      break;
  }
  test.message = rule.verdict.note;
  return test;
}

}  // namespace

std::string rule_row(const RuleResult& rule) {
  const RuleVerdict& verdict = rule.verdict;
  std::string row =
      fmt::format("{:<20}  {:<14}  {}\n", rule.name, word_of(verdict.outcome), printable_line(verdict.note));
  if (verdict.outcome == RuleOutcome::violation) row += fmt::format("{:<38}rule: {}\n", "", rule.promise);
  return xml_clean(row);
}

std::string verification_summary(const Verification& verification) {
  const std::size_t rules = verification.rules.size();
  std::string text = fmt::format("{} rule{}:", rules, rules == 1 ? "" : "s");
  const char* separator = " ";
  for (const RuleOutcome outcome : {RuleOutcome::pass, RuleOutcome::violation, RuleOutcome::not_applicable,
                                    RuleOutcome::cannot_run, RuleOutcome::not_run}) {
    const std::size_t count = verification.count(outcome);
    if (count == 0) continue;
    text += fmt::format("{}{} {}", separator, count, word_of(outcome));
    separator = ", ";
  }
  return text;
}

std::string verification_junit(const Verification& verification, std::string_view engine) {
  JunitSuite suite;
  suite.name = fmt::format("engine {}", engine);
  for (const RuleResult& rule : verification.rules) {
    suite.cases.push_back(case_of(rule, engine, verification.interrupted));
    suite.seconds += rule.seconds;
  }
  JunitDocument document{.name = "diskproof engines --verify", .seconds = suite.seconds};
  document.suites.push_back(std::move(suite));
  return junit_text(document);
}

}  // namespace diskproof
