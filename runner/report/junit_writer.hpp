// JUnit XML as schemas/junit.xsd describes it: run = testsuites, phase = testsuite, threshold = testcase.
#pragma once

#include <string>

namespace diskproof {

struct JunitDocument;
struct RunReport;

std::string to_junit(const RunReport& report);

// Anything else that can be seen as suites of cases.
std::string junit_text(const JunitDocument& content);

}  // namespace diskproof
