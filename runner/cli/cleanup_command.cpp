// `diskproof cleanup [--list]`.
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "target/cleanup.hpp"
#include "verdict/outcome.hpp"

namespace diskproof {
namespace {

void list(const AbandonedRun& run, Terminal& terminal) {
  const JournalHeader& header = run.journal.header;
  terminal.show(fmt::format("{}  {}, started {}\n", header.run_id, header.job_file, header.started_at));
  for (const OpenStep& open : run.journal.open) {
    terminal.show(fmt::format("  to undo: {}{}\n", open.step.path, open.step.keep ? " (to be kept)" : ""));
  }
}

bool undo(const AbandonedRun& run, Terminal& terminal) {
  bool all_undone = true;
  for (const StepReport& step : clean_up(run)) {
    const bool undone = step.outcome == Outcome::pass;
    all_undone = all_undone && undone;
    if (undone) terminal.show("  done: " + step.name + "\n");
    if (!undone) terminal.complain(step.name + ": " + step.reason);
  }
  return all_undone;
}

}  // namespace

int cleanup_command(const CleanupRequest& request, Terminal& terminal) {
  const auto runs = find_abandoned_runs(state_root());
  if (runs.empty()) terminal.show("nothing to clean up\n");
  bool all_undone = true;
  for (const AbandonedRun& run : runs) {
    if (!run.fault.empty()) {
      terminal.complain(run.fault);
      all_undone = false;
      continue;
    }
    list(run, terminal);
    if (!request.list) all_undone = undo(run, terminal) && all_undone;
  }
  return static_cast<int>(all_undone ? ExitCode::pass : ExitCode::error);
}

}  // namespace diskproof
