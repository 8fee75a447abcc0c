// The three views.
#include "cli/run_view.hpp"

#include <ostream>

#include "plan/enum_names.hpp"
#include "report/console_table.hpp"
#include "report/console_writer.hpp"
#include "report/exit_reasons.hpp"
#include "report/progress.hpp"

namespace diskproof {
namespace {

std::string stage_name(const PhasePlan& phase, PhaseTick::Stage stage) {
  if (phase.kind != PhaseKind::measure) return std::string(name_of(phase.kind));
  switch (stage) {
    case PhaseTick::Stage::warmup:
      return "warmup";
    case PhaseTick::Stage::measure:
      return "measure";
    case PhaseTick::Stage::drain:
      break;
  }
  return "drain";
}

Progress progress_of(const PhasePlan& phase, std::uint32_t run, const PhaseTick& tick) {
  Progress progress;
  progress.phase = phase.name;
  progress.run = run;
  progress.runs = phase.repeat.count;
  progress.kind = stage_name(phase, tick.stage);
  progress.elapsed = tick.elapsed;
  if (tick.total > 0) progress.total = tick.total;
  progress.done = tick.done;
  progress.iops = tick.iops;
  progress.bandwidth = tick.bandwidth;
  return progress;
}

class HumanView : public RunView {
 public:
  explicit HumanView(Terminal& terminal) : terminal_(terminal) {}

  void run_started(const RunReport&) override {}
  void phase_started(const PhasePlan& phase) override {
    if (terminal_.interactive) overwrite(phase.name);
  }
  void tick(const PhasePlan& phase, std::uint32_t run, const PhaseTick& tick) override {
    if (terminal_.interactive) overwrite(progress_line(progress_of(phase, run, tick)));
  }
  void phase_finished(const PhaseReport& phase) override {
    if (terminal_.interactive) {
      overwrite("");
    } else {
      terminal_.out << phase.name << ": " << outcome_word(phase.outcome, false) << std::endl;
    }
  }
  void run_finished(const RunReport& report, const std::vector<std::string>& written) override {
    if (!terminal_.interactive) terminal_.out << '\n';
    terminal_.out << to_console(report, {.color = terminal_.interactive, .written = written}) << std::flush;
  }

 private:
  void overwrite(const std::string& line) { terminal_.out << "\r\x1b[K" << line << std::flush; }

  Terminal& terminal_;
};

class EventView : public RunView {
 public:
  explicit EventView(Terminal& terminal) : terminal_(terminal) {}

  void run_started(const RunReport& report) override { print(run_started_event(report)); }
  void phase_started(const PhasePlan& phase) override { print(phase_started_event(phase)); }
  void tick(const PhasePlan& phase, std::uint32_t run, const PhaseTick& tick) override {
    print(tick_event(progress_of(phase, run, tick)));
  }
  void phase_finished(const PhaseReport& phase) override {
    for (const Finding& finding : phase.findings) print(finding_event(phase.name, finding));
    print(phase_finished_event(phase));
  }
  void run_finished(const RunReport& report, const std::vector<std::string>&) override {
    for (const Finding& finding : report.findings) print(finding_event("", finding));
    print(run_finished_event(report));
  }

 private:
  void print(const std::string& event) { terminal_.out << event << std::endl; }

  Terminal& terminal_;
};

class SilentView : public RunView {
 public:
  explicit SilentView(Terminal& terminal) : terminal_(terminal) {}

  void run_started(const RunReport&) override {}
  void phase_started(const PhasePlan&) override {}
  void tick(const PhasePlan&, std::uint32_t, const PhaseTick&) override {}
  void phase_finished(const PhaseReport&) override {}
  // The reason of the run as a whole is said by who started it.
  void run_finished(const RunReport& report, const std::vector<std::string>&) override {
    if (!report.reason.empty()) return;
    for (const std::string& line : exit_reasons(report)) terminal_.complain(line);
  }

 private:
  Terminal& terminal_;
};

}  // namespace

std::unique_ptr<RunView> make_run_view(const RunRequest& request, Terminal& terminal) {
  if (request.json) return std::make_unique<EventView>(terminal);
  if (request.quiet) return std::make_unique<SilentView>(terminal);
  return std::make_unique<HumanView>(terminal);
}

}  // namespace diskproof
