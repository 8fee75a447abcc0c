// Why a run did not end with 0, for who asked for nothing but that.
#pragma once

#include <string>
#include <vector>

namespace diskproof {

struct RunReport;

// A line each, the first few, each reason once; at least one unless the run's exit code is 0.
std::vector<std::string> exit_reasons(const RunReport& report);

}  // namespace diskproof
