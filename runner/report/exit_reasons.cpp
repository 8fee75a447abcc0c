// What JUnit would call failures and errors.
#include "report/exit_reasons.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "report/columns.hpp"
#include "report/junit_cases.hpp"
#include "report/run_report.hpp"

namespace diskproof {
namespace {

constexpr std::size_t kLines = 10;

// Phases that cannot run for want of a disk end in the words of its step.
bool is_said(const std::vector<std::string>& lines, const std::string& message) {
  return std::ranges::any_of(lines, [&](const std::string& line) {
    const auto reason = line.find(": ");
    return line.ends_with(message) || (reason != std::string::npos && message.ends_with(line.substr(reason + 2)));
  });
}

}  // namespace

std::vector<std::string> exit_reasons(const RunReport& report) {
  if (report.exit_code == static_cast<int>(ExitCode::pass)) return {};
  std::vector<std::string> lines;
  std::size_t left_out = 0;
  if (!report.reason.empty()) lines.push_back(one_line(report.reason));
  for (const JunitSuite& suite : junit_suites(report)) {
    for (const JunitCase& test : suite.cases) {
      const bool bad = test.end == JunitCase::End::failure || test.end == JunitCase::End::error;
      const std::string message = one_line(test.message);
      if (!bad || is_said(lines, message)) continue;
      if (lines.size() == kLines) {
        ++left_out;
        continue;
      }
      lines.push_back(fmt::format("{}: {}", one_line(test.name), message));
    }
  }
  if (left_out > 0) lines.push_back(fmt::format("and {} more, which the reports name", left_out));
  if (lines.empty()) lines.push_back(fmt::format("the run ended with {}", to_string(report.outcome)));
  return lines;
}

}  // namespace diskproof
