// JUnit XML as schemas/junit.xsd describes it: run = testsuites, phase = testsuite, threshold = testcase.
#pragma once

#include <string>

namespace diskproof {

struct RunReport;

std::string to_junit(const RunReport& report);

}  // namespace diskproof
