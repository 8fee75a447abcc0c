// The readable end of a run: what each phase reached, what held, what to know, where the reports are, the verdict.
#pragma once

#include <string>
#include <vector>

namespace diskproof {

struct RunReport;

struct ConsoleOptions {
  bool color = false;                // the caller knows whether a terminal reads it
  std::vector<std::string> written;  // paths of the reports that were written
};

std::string to_console(const RunReport& report, const ConsoleOptions& options);

}  // namespace diskproof
