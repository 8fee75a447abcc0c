// A run seen as JUnit sees it: suites of cases, as plain values. Which cases there are depends on the job file alone;
// what happened decides only how each of them ends.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace diskproof {

struct RunReport;

struct JunitCase {
  enum class End { pass, failure, error, skipped };

  std::string classname{}, name{};
  double seconds = 0;
  End end = End::pass;
  std::string type{};                  // of a failure or error: a stable word
  std::string message{};               // of whatever is not a pass; repeated as the body's first line
  std::vector<std::string> details{};  // further body lines
  std::string output{}, log{};         // system-out, system-err
};

struct JunitSuite {
  std::string name{};
  std::string started_at{};  // ISO 8601, UTC; empty: never started
  double seconds = 0;
  std::vector<std::pair<std::string, std::string>> properties{};  // facts, then metrics
  std::vector<JunitCase> cases{};

  [[nodiscard]] std::size_t count(JunitCase::End end) const;
};

struct JunitDocument {
  std::string name;
  std::string hostname{};
  double seconds = 0;
  std::vector<JunitSuite> suites{};
};

// `preparation` first, then one suite per phase in the plan's order.
std::vector<JunitSuite> junit_suites(const RunReport& report);

}  // namespace diskproof
