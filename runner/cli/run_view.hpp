// What a run prints while it goes on: for people, for programs, or nothing.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/args.hpp"
#include "cli/commands.hpp"
#include "exec/phase_runner.hpp"
#include "plan/plan.hpp"
#include "report/run_report.hpp"

namespace diskproof {

class RunView {
 public:
  virtual ~RunView() = default;
  virtual void run_started(const RunReport& report) = 0;
  virtual void phase_started(const PhasePlan& phase) = 0;
  // `run` is 1, 2, … of the phase's runs.
  virtual void tick(const PhasePlan& phase, std::uint32_t run, const PhaseTick& tick) = 0;
  virtual void phase_finished(const PhaseReport& phase) = 0;
  virtual void run_finished(const RunReport& report, const std::vector<std::string>& written) = 0;
};

std::unique_ptr<RunView> make_run_view(const RunRequest& request, Terminal& terminal);

}  // namespace diskproof
