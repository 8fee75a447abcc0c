// One run from preparation to undo. Whatever happens, the undo is tried, every phase has its entry in the report, and
// there is an ending.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "cli/judge_phase.hpp"
#include "cli/phase_watcher.hpp"
#include "cli/report_set.hpp"
#include "cli/run_view.hpp"
#include "cli/stop_control.hpp"
#include "target/network_client.hpp"
#include "target/prepare.hpp"

namespace diskproof {

struct PreparedDisks {
  std::vector<TargetIdentity> files{};
  std::vector<HeldDevice> devices{};
  std::map<std::string, std::string> throttles{};  // by disk
};

// What a session uses of the world; tests give their own.
struct SessionParts {
  ReportSet& reports;
  RunView& view;
  const StopControl& stop;
  std::string state_root;
  FilesystemView filesystem;
  // Runs phases of the plan at the same time, with the engines' state folder, on the disks that were prepared.
  std::function<std::vector<PhaseResult>(std::span<const PhaseStart> starts, const std::string& state_dir,
                                         const PreparedDisks& disks)>
      run_phases;
  std::map<std::string, std::string> allowed_to_destroy{};  // --allow-destroy
  UrlOpener open_url{};                                     // reaches disks that are URLs
  decltype(&network_counters) count_network = network_counters;
};

class RunSession {
 public:
  // `report` holds plan, job text and host, and gets the rest.
  RunSession(RunReport& report, SessionParts parts);

  // Never throws. Outcome, exit code and reports are final when it returns.
  void run();

 private:
  void prepare();
  void run_phases();
  std::size_t run_block(std::size_t first);
  void run_in_turns(std::size_t first, std::size_t last);
  void run_together(std::size_t first, std::size_t last);
  std::vector<FinishedRun> run_once(std::span<const std::size_t> indices, std::uint32_t number,
                                    std::span<PhaseObserver* const> observers);
  void note_tainted(const PhasePlan& phase, PhaseResult& result);
  [[nodiscard]] FinishedRun run_not(const std::string& reason) const;
  [[nodiscard]] std::optional<PhaseReport> without_running(const PhasePlan& phase) const;
  PhaseReport judged(std::size_t index, std::span<const FinishedRun> runs, const PhaseWatcher& watcher);
  void start_phase(const PhasePlan& phase);
  [[nodiscard]] std::string missing_manifest(const PhasePlan& phase) const;
  [[nodiscard]] std::optional<PhaseReport> without_writer(const PhasePlan& phase) const;
  [[nodiscard]] bool without_one(std::span<const std::size_t> indices) const;
  void report_without(std::span<const std::size_t> indices);
  static bool is_layout(const PhasePlan& phase) {
    return phase.kind == PhaseKind::layout && phase.layout == Layout::written;
  }
  void pause(std::uint64_t ns) const;
  [[nodiscard]] std::string obstacle(const PhasePlan& phase) const;
  [[nodiscard]] std::optional<PhaseReport> unmet(const PhasePlan& phase) const;
  [[nodiscard]] const PhaseReport* find(const std::string& phase) const;
  [[nodiscard]] std::string stopped_reason() const;
  [[nodiscard]] const DiskFacts* facts_of(const std::string& disk) const;
  [[nodiscard]] bool is_on_network(const std::string& disk) const;
  [[nodiscard]] std::optional<NetworkTotals> network_of(const std::string& disk) const;
  void finish();
  void write_reports();

  RunReport& report_;
  SessionParts parts_;
  std::optional<Preparation> preparation_;
  std::string preparation_fault_;  // why no phase can run
  bool refused_ = false;
  std::string report_fault_;  // why reports could not be written
  PreparedDisks disks_;
  std::set<std::string> tainted_;
  std::uint64_t written_ = 0;  // bytes of all phases so far
  std::uint64_t began_ = 0;
  struct GroupEnd {
    std::uint64_t end = 0;  // monotonic ns; 0: no group with a timeout is under way
    std::string passed;     // what is said when it has passed
  } group_;
};

// Fills in what a report says before anything has happened: each phase as not run.
void expect_phases(RunReport& report);

// Outcome and exit code from the phases, the preparation and what ended the run.
void conclude(RunReport& report, bool refused, bool interrupted);

}  // namespace diskproof
