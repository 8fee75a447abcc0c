// `diskproof cleanup [--list]`.
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/scratch_folder.hpp"
#include "cli/url_source.hpp"
#include "support/path_text.hpp"
#include "target/cleanup.hpp"
#include "target/reach.hpp"
#include "target/undo.hpp"
#include "verdict/outcome.hpp"

namespace diskproof {
namespace {

void list(const AbandonedRun& run, Terminal& terminal) {
  const JournalHeader& header = run.journal.header;
  terminal.show(fmt::format("{}  {}, started {}\n", header.run_id, header.job_file, header.started_at));
  for (const std::string& manifest : manifests_owed(run)) {
    terminal.show(fmt::format("  to do: make the manifest {}\n", manifest));
  }
  for (const OpenStep& open : run.journal.open) {
    terminal.show(fmt::format("  to do: {}\n", undo_name(open.step)));
  }
}

bool undo(const AbandonedRun& run, const UrlOpener& open_url, Terminal& terminal) {
  bool all_undone = true;
  for (const StepReport& step : clean_up(run, open_url)) {
    const bool undone = step.outcome == Outcome::pass;
    all_undone = all_undone && undone;
    if (undone) terminal.show("  done: " + step.name + "\n");
    if (!undone) terminal.complain(step.name + ": " + step.reason);
  }
  return all_undone;
}

// Of `engines --verify`.
bool remove_folders(const std::vector<std::string>& folders, bool only_list, Terminal& terminal) {
  bool all_removed = true;
  for (const std::string& folder : folders) {
    terminal.show(fmt::format("engines --verify was killed and left {}\n", folder));
    const std::string fault = only_list ? "" : remove_scratch(folder);
    if (!fault.empty()) terminal.complain("cannot remove " + folder + ": " + fault);
    if (!only_list && fault.empty()) terminal.show("  done: remove " + folder + "\n");
    all_removed = all_removed && fault.empty();
  }
  return all_removed;
}

}  // namespace

int cleanup_command(const CleanupRequest& request, const Places& places, Terminal& terminal) {
  require_answer("the state folder", state_root());
  const auto runs = find_abandoned_runs(state_root());
  const auto folders = find_abandoned_scratch(scratch_parent());
  if (runs.empty() && folders.empty()) terminal.show("nothing to clean up\n");
  bool all_undone = remove_folders(folders, request.list, terminal);
  for (const AbandonedRun& run : runs) {
    if (!run.fault.empty()) {
      terminal.complain(run.fault + "; undo by hand what it names, then remove " + run.folder);
      all_undone = false;
      continue;
    }
    list(run, terminal);
    if (!request.list) all_undone = undo(run, url_opener(text_of(places.executable)), terminal) && all_undone;
  }
  return static_cast<int>(all_undone ? ExitCode::pass : ExitCode::error);
}

}  // namespace diskproof
