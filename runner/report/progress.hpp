// What a run says while it goes on: one line of progress for people, JSON Lines events for programs. Formatting only;
// who prints where is the command line's business.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace diskproof {

struct Finding;
struct PhasePlan;
struct PhaseReport;
struct RunReport;

struct Progress {
  std::string phase;
  std::uint32_t run = 1, runs = 1;  // which of how many runs of the phase
  std::string kind;                 // layout, warmup, measure, drain: the stage shown
  double elapsed = 0;               // seconds
  std::optional<double> total;      // planned seconds; absent where a phase counts bytes or operations
  std::optional<double> done;       // share of the planned work, 0…1
  std::optional<double> iops;       // of the last moment
  std::optional<double> bandwidth;  // bytes/s, likewise
};

// Without line end and at most 100 columns; the caller overwrites it in place.
std::string progress_line(const Progress& progress);

// One JSON object each, with `event` first, without line end.
std::string run_started_event(const RunReport& report);
std::string phase_started_event(const PhasePlan& phase);
std::string tick_event(const Progress& progress);
std::string finding_event(const std::string& phase, const Finding& finding);  // phase empty: of the run
std::string phase_finished_event(const PhaseReport& phase);
std::string run_finished_event(const RunReport& report);

}  // namespace diskproof
