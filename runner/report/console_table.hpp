// The table of phases in the terminal view.
#pragma once

#include <string>

#include "verdict/outcome.hpp"

namespace diskproof {

struct RunReport;

// "pass", "FAIL", "ERROR"…: what needs attention is in capitals. Coloured only when asked.
std::string outcome_word(Outcome outcome, bool color);

// Heading and one row per phase; phases that mix directions have a row for each.
std::string phase_table(const RunReport& report, bool color);

}  // namespace diskproof
