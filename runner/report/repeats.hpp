// What the runs of a repeated phase came to, as text for people.
#pragma once

#include <string>
#include <vector>

#include "report/run_report.hpp"

namespace diskproof {

// "median of 5", "run 3 of 5" where all metrics are of one run; empty where the phase runs once.
std::string score_words(const RunReport& report, const PhaseReport& phase);

// Per direction, of IOPS and bandwidth: "read.iops 98/s; median 97/s, spread 4 % (95/s to 99/s)". Empty where the phase
// runs once or nothing counts.
std::vector<std::string> score_lines(const RunReport& report, const PhaseReport& phase);

// One line per run: "run 2 of 5: total.iops 98/s, total.bandwidth 401 kB/s, seed 42".
std::vector<std::string> run_lines(const RunReport& report, const PhaseReport& phase);

}  // namespace diskproof
