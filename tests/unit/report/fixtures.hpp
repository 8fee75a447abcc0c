// Runs that ended in every way a run can end, for the tests of all report writers. All but `hostile` and `skipped` are
// of one job, so that what must not depend on the ending can be compared between them.
#pragma once

#include <string>
#include <vector>

#include "report/run_report.hpp"

namespace diskproof::testing {

struct Fixture {
  std::string name;  // "fail.exit1": the golden files begin with it
  RunReport report;
};

const std::vector<Fixture>& fixtures();
const RunReport& fixture(const std::string& name);

}  // namespace diskproof::testing
