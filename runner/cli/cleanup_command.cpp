// `diskproof cleanup [--list]`.
#include <ostream>

#include "cli/commands.hpp"
#include "target/cleanup.hpp"
#include "verdict/outcome.hpp"

namespace diskproof {
namespace {

void list(const AbandonedRun& run, std::ostream& out) {
  const JournalHeader& header = run.journal.header;
  out << header.run_id << "  " << header.job_file << ", started " << header.started_at << '\n';
  for (const OpenStep& open : run.journal.open) {
    out << "  to undo: " << open.step.path << (open.step.keep ? " (to be kept)" : "") << '\n';
  }
}

bool undo(const AbandonedRun& run, Terminal& terminal) {
  bool all_undone = true;
  for (const StepReport& step : clean_up(run)) {
    const bool undone = step.outcome == Outcome::pass;
    all_undone = all_undone && undone;
    if (undone) terminal.out << "  done: " << step.name << '\n';
    if (!undone) terminal.err << "diskproof: " << step.name << ": " << step.reason << '\n';
  }
  return all_undone;
}

}  // namespace

int cleanup_command(const CleanupRequest& request, Terminal& terminal) {
  const auto runs = find_abandoned_runs(state_root());
  if (runs.empty()) terminal.out << "nothing to clean up\n";
  bool all_undone = true;
  for (const AbandonedRun& run : runs) {
    if (!run.fault.empty()) {
      terminal.err << "diskproof: " << run.fault << '\n';
      all_undone = false;
      continue;
    }
    list(run, terminal.out);
    if (!request.list) all_undone = undo(run, terminal) && all_undone;
  }
  return static_cast<int>(all_undone ? ExitCode::pass : ExitCode::error);
}

}  // namespace diskproof
