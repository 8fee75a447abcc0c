// Finishes the undo of runs that ended without it: killed, or cut off by a power loss.
#pragma once

#include <string>
#include <vector>

#include "target/journal.hpp"
#include "target/step_report.hpp"

namespace diskproof {

struct AbandonedRun {
  std::string folder;
  JournalContents journal;
  std::string fault;     // why the journal cannot be read; then `journal` is empty
  bool unbegun = false;  // cut off before its journal's header: nothing was made
};

// Runs below the state root whose process is gone, oldest first. A run under way is not among them.
std::vector<AbandonedRun> find_abandoned_runs(const std::string& state_root);

// Paths of the manifests that the run still owes; cleaning up makes them.
std::vector<std::string> manifests_owed(const AbandonedRun& run);

// Undoes every open step, last first, and removes the run's folder when none is left; else the journal stays for
// another try.
std::vector<StepReport> clean_up(const AbandonedRun& run, const UrlOpener& open_url = {});

}  // namespace diskproof
