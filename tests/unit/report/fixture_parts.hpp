// What fixtures are put together from: one job's plan, phases that measured something or nothing, the run around them.
#pragma once

#include <string>
#include <vector>

#include "report/run_report.hpp"

namespace diskproof::testing {

struct Load {
  Direction direction;
  std::uint64_t iops;
  std::uint64_t latency;  // ns
};

// Three seconds of these loads, passed.
PhaseReport measured(const PhasePlan& plan, const std::string& started_at, const std::vector<Load>& loads);

// Nothing measured; the thresholds say why like the phase.
PhaseReport unmeasured(const PhasePlan& plan, Outcome outcome, const std::string& reason);

void judge(PhaseReport& phase, std::size_t threshold, Outcome outcome, double observed, double bound,
           std::string reason);

// Everything but the phases and the outcome; the plan has layout/data, write_iops and mixed.
RunReport base_run();

}  // namespace diskproof::testing
