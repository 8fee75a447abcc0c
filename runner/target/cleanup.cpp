// The state root's folders, one per run.
#include "target/cleanup.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "support/error.hpp"
#include "target/undo.hpp"

namespace diskproof {

std::vector<AbandonedRun> find_abandoned_runs(const std::string& state_root) {
  namespace fs = std::filesystem;
  std::vector<AbandonedRun> runs;
  if (!fs::is_directory(state_root)) return runs;
  for (const fs::directory_entry& entry : fs::directory_iterator(state_root)) {
    AbandonedRun run{.folder = entry.path().string(), .journal = {}, .fault = {}};
    if (!entry.is_directory() || !fs::exists(journal_path(run.folder))) continue;
    try {
      run.journal = read_journal(journal_path(run.folder));
      if (is_running(run.journal.header.process)) continue;
    } catch (const Error& error) {
      run.fault = error.what();
    }
    runs.push_back(std::move(run));
  }
  std::sort(runs.begin(), runs.end(), [](const AbandonedRun& a, const AbandonedRun& b) {
    return std::pair(a.journal.header.started, a.folder) < std::pair(b.journal.header.started, b.folder);
  });
  return runs;
}

std::vector<StepReport> clean_up(const AbandonedRun& run) {
  std::vector<StepReport> reports;
  bool all_undone = run.fault.empty();
  const auto& open = run.journal.open;
  for (auto step = open.rbegin(); step != open.rend(); ++step) {
    reports.push_back(undo_step(step->step, run.journal.header.started));
    all_undone = all_undone && reports.back().outcome == Outcome::pass;
  }
  std::error_code ignored;
  if (all_undone) std::filesystem::remove_all(run.folder, ignored);
  return reports;
}

}  // namespace diskproof
