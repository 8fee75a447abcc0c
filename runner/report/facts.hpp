// Facts and numbers of a report as text, shared by the writers: what ran, on what, and how values read.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/run_report.hpp"

namespace diskproof {

using NamedFacts = std::vector<std::pair<std::string, std::string>>;

// The phase of the plan that a report's phase carried out; null when the plan has none of that name.
const PhasePlan* find_planned(const RunReport& report, const std::string& phase);

NamedFacts run_facts(const RunReport& report);                              // tool, host, labels
NamedFacts phase_facts(const RunReport& report, const PhaseReport& phase);  // engine, disk, seed…

std::string plain_number(double value);  // shortest decimal that reads back the same
// In the unit of the metric, for people: "4.71 ms", "30,012/s", "123 MB/s".
std::string metric_text(const std::string& metric, double value);

std::vector<std::string> threshold_facts(const ThresholdResult& result);  // "observed: …", "bound: …"
std::string describe(const IoErrorExample& example);
// Each of the phase's examples, then how many errors are not among them.
std::vector<std::string> io_error_lines(const PhaseReport& phase);
std::string describe(const StuckIo& stuck);

}  // namespace diskproof
