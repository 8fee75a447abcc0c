// The state root's folders, one per run.
#include "target/cleanup.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "integrity/owed_manifest.hpp"
#include "support/error.hpp"
#include "support/path_text.hpp"
#include "target/undo.hpp"

namespace diskproof {
namespace {

namespace fs = std::filesystem;

// Nothing but what is made before the journal's header; anything else is no folder of ours.
bool holds_nothing(const std::string& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(path_from(folder))) {
    const bool journal = entry.path() == path_from(journal_path(folder)) && entry.is_regular_file();
    const bool engines =
        entry.path() == path_from(folder) / "engines" && entry.is_directory() && fs::is_empty(entry.path());
    const bool lock = entry.path() == path_from(folder_lock(folder));
    if (!journal && !engines && !lock) return false;
  }
  return !journal_has_begun(folder);
}

// Who makes a run's folder holds the lock of the state root until the journal has begun.
bool is_unbegun(const std::string& state_root, const std::string& folder) {
  return open_folder(state_root).try_lock() && look_at(folder).type == FileType::directory && holds_nothing(folder);
}

AbandonedRun unbegun_run(const std::string& folder) {
  AbandonedRun run{.folder = folder, .journal = {}, .fault = {}, .unbegun = true};
  run.journal.header.run_id = text_of(path_from(folder).filename());
  run.journal.header.job_file = "cut off before anything was made";
  run.journal.header.started_at = "at an unknown time";
  return run;
}

std::vector<StepReport> remove_unbegun(const std::string& folder) {
  StepReport report{.name = "remove " + folder, .disk = {}, .outcome = Outcome::pass, .reason = {}, .seconds = 0};
  try {
    const OpenFile root = open_folder(folder_of(folder));
    if (!root.try_lock() || look_at(folder).type != FileType::directory || !holds_nothing(folder)) return {};
    remove_file(journal_path(folder));
    remove_empty_folder(path_in(folder, "engines"));
    if (const std::string lock = folder_lock(folder); !lock.empty()) remove_file(lock);
    remove_empty_folder(folder);
  } catch (const std::exception& error) {
    report.outcome = Outcome::error;
    report.reason = error.what();
  }
  return {report};
}

}  // namespace

std::vector<AbandonedRun> find_abandoned_runs(const std::string& state_root) {
  std::vector<AbandonedRun> runs;
  if (!fs::is_directory(path_from(state_root))) return runs;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_from(state_root))) {
    AbandonedRun run{.folder = text_of(entry.path()), .journal = {}, .fault = {}, .unbegun = false};
    if (is_mount_folder(text_of(entry.path().filename()))) continue;
    try {
      const FileStatus status = look_at(run.folder);  // not through a link; another user's runs are that user's
      if (status.type != FileType::directory || !status.owned) continue;
      if (!journal_has_begun(run.folder)) {
        if (is_unbegun(state_root, run.folder)) runs.push_back(unbegun_run(run.folder));
        continue;
      }
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

std::vector<std::string> manifests_owed(const AbandonedRun& run) {
  return owed_manifests(path_in(run.folder, "engines"));
}

std::vector<StepReport> clean_up(const AbandonedRun& run, const UrlOpener& open_url) {
  if (run.unbegun) return remove_unbegun(run.folder);
  if (!run.fault.empty() || look_at(run.folder).type == FileType::missing) return {};
  try {
    Journal journal(run.folder);
    return undo_all(journal, {}, open_url);
  } catch (const std::exception& error) {
    return {{.name = "undo the run in " + run.folder,
             .disk = {},
             .outcome = Outcome::error,
             .reason = error.what(),
             .seconds = 0}};
  }
}

}  // namespace diskproof
