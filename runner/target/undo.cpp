// One function per kind of step.
#include "target/undo.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "integrity/owed_manifest.hpp"
#include "support/clock.hpp"
#include "support/error.hpp"
#include "support/path_text.hpp"
#include "target/journaled.hpp"
#include "target/marker.hpp"
#include "target/reach.hpp"
#include "target/undo_device.hpp"
#include "target/url_undo.hpp"

namespace diskproof {
namespace {

// What took the place of ours is left alone for good: nothing of ours is there any more.
struct NotOurs {
  std::string path;
};

// Without an identity the run ended between creating and recording it: then only an empty file (or folder, which its
// removal tells) of this user that was born during the run can be the one.
bool is_ours(const UndoStep& step, const FileStatus& status, std::int64_t run_started) {
  const bool folder = status.type == FileType::directory;
  if (folder != (step.kind == UndoKind::remove_folder) || (!folder && status.type != FileType::regular)) return false;
  if (step.identity) {
    return status.identity == *step.identity && (folder || status.size == 0 || status.size == step.size);
  }
  const auto started = static_cast<std::uint64_t>(run_started) * 1'000'000'000;
  const bool born_in_run = status.born != 0 && status.born >= started;
  return born_in_run && status.owned && (folder || status.size == 0);
}

// A name that is missing was removed only if its folder is the one that it was in.
void require_folder(const UndoStep& step, bool missing) {
  const std::string folder = folder_of(step.path);
  const FileStatus status = look_at_folder(folder);
  const bool there = status.type == FileType::directory && status.identity.device == step.folder.device;
  if (there && (!missing || status.identity == step.folder)) return;
  throw Error(ErrorKind::failed, step.path + " is not undone: its folder " + folder +
                                     (there || status.type != FileType::missing ? " is another one now" : " is gone") +
                                     " (renamed, or not mounted?); bring it back and run `diskproof cleanup`");
}

std::optional<Marker> readable_marker(const std::string& file) {
  try {
    return load_marker(file);
  } catch (const Error&) {
    throw NotOurs{marker_path(file)};
  }
}

void undo_file(const UndoStep& step, const FileStatus& status, std::int64_t run_started) {
  if (!is_ours(step, status, run_started)) throw NotOurs{step.path};
  if (step.keep) {
    const auto marker = readable_marker(step.path);
    if (marker && marker->names(status.identity)) return;
  }
  remove_file(step.path);
  sync_folder(folder_of(step.path));
}

// step.path is the marker, step.identity that of the file it vouches for. A marker that stays vouches for the file as
// it is now.
void undo_marker(const UndoStep& step, Journal& journal) {
  const std::string file = step.path.substr(0, step.path.size() - marker_path("").size());
  auto marker = readable_marker(file);
  if (!marker || !step.identity || !marker->names(*step.identity)) throw NotOurs{step.path};
  const FileStatus status = look_at(file);
  if (!step.keep || status.type == FileType::missing) {
    remove_file(step.path);
    sync_folder(folder_of(step.path));
    return;
  }
  if (status.identity != *step.identity || status.size != marker->size) throw NotOurs{file};
  if (marker->modified == status.modified) return;
  marker->modified = status.modified;
  replace_file(journal, step.disk, step.path, marker_to_text(*marker));
}

void undo_folder(const UndoStep& step, const FileStatus& status, std::int64_t run_started) {
  if (!is_ours(step, status, run_started)) throw NotOurs{step.path};
  // A folder that holds something may hold what others put there.
  if (remove_empty_folder(step.path) || (step.keep && step.identity)) return;
  if (!step.identity) throw NotOurs{step.path};
  throw Error(ErrorKind::failed, "left the folder " + step.path + ": it holds files that the run did not make");
}

void undo_step(const UndoStep& step, Journal& journal) {
  if (is_of_device(step.kind)) return undo_device_step(step, journal.header());
  const FileStatus status = look_at(step.path);
  require_folder(step, status.type == FileType::missing);
  if (status.type == FileType::missing) return;
  switch (step.kind) {
    case UndoKind::remove_file:
      return undo_file(step, status, journal.header().started);
    case UndoKind::remove_marker:
      return undo_marker(step, journal);
    case UndoKind::remove_folder:
      return undo_folder(step, status, journal.header().started);
    default:
      return;
  }
}

void close_step(std::uint64_t number, Journal& journal) {
  try {
    journal.finish(number);
  } catch (const Error&) {
    // The step is undone; a journal that says otherwise does no harm, as undoing twice does none.
  }
}

// Whether folders answer, each asked once.
class Answers {
 public:
  void require(const std::string& folder) {
    if (!known_.contains(folder)) known_[folder] = silent_paths({folder}).empty();
    if (known_.at(folder)) return;
    throw Error(ErrorKind::failed, "the file system of " + folder +
                                       " does not answer; bring its server or disk back and run `diskproof cleanup`");
  }

 private:
  std::map<std::string, bool> known_;
};

// Closes the step when nothing of it is left to do.
StepReport undo_one(const OpenStep& open, Journal& journal, UrlUndo& url_undo, Answers& answers) {
  const UndoStep& step = open.step;
  StepReport report{.name = undo_name(step), .disk = step.disk, .outcome = Outcome::error, .reason = {}, .seconds = 0};
  const std::uint64_t began = monotonic_ns();
  try {
    try {
      if (step.place) {
        report.reason = url_undo.undo(step);
      } else {
        if (!is_of_device(step.kind)) answers.require(folder_of(step.path));
        undo_step(step, journal);
      }
      if (report.reason.empty()) report.outcome = Outcome::pass;
    } catch (const NotOurs& found) {
      report.reason = "left " + found.path + " alone: it is not the one that the run made";
    }
    close_step(open.number, journal);
  } catch (const std::exception& error) {
    report.reason = error.what();
  }
  report.seconds = static_cast<double>(monotonic_ns() - began) / 1e9;
  return report;
}

// Before the maps go with the run's folder. False: one is still owed.
bool make_manifests(const Journal& journal, std::vector<StepReport>& reports) {
  const bool same_boot = journal.header().process.boot_id == current_process().boot_id;
  bool all_made = true;
  for (SettledManifest& settled : settle_manifests(path_in(journal.folder(), "engines"), same_boot)) {
    all_made = all_made && (settled.fault.empty() || !same_boot);
    reports.push_back({.name = "make the manifest " + settled.path,
                       .disk = {},
                       .outcome = settled.fault.empty() ? Outcome::pass : Outcome::error,
                       .reason = std::move(settled.fault),
                       .seconds = 0});
  }
  return all_made;
}

bool is_open(const Journal& journal, std::uint64_t number) {
  return std::ranges::find(journal.open(), number, &OpenStep::number) != journal.open().end();
}

}  // namespace

std::string undo_name(const UndoStep& step) {
  if (step.place) return (step.keep ? "leave " : "remove ") + step.place->url + " " + step.path;
  switch (step.kind) {
    case UndoKind::unmount:
      return "unmount " + step.path;
    case UndoKind::detach_loop:
      return "detach " + step.path;
    case UndoKind::restore_setting:
      return "set back " + step.path;
    default:
      return (step.keep ? "leave " : "remove ") + step.path;
  }
}

std::vector<StepReport> undo_all(Journal& journal, const std::set<std::string>& tainted, const UrlOpener& open_url) {
  UrlUndo url_undo(open_url);
  Answers answers;
  std::vector<StepReport> reports;
  const bool all_made = make_manifests(journal, reports);
  const std::vector<OpenStep> open = journal.open();
  std::map<std::string, std::string> waiting;  // by disk: what has to be undone first
  for (auto step = open.rbegin(); step != open.rend(); ++step) {
    const std::string& disk = step->step.disk;
    const auto before = waiting.find(disk);
    if (!tainted.contains(disk) && before == waiting.end()) {
      reports.push_back(undo_one(*step, journal, url_undo, answers));
      // A mount point goes after its mount, a loop device after what is mounted from it.
      if (is_of_device(step->step.kind) && is_open(journal, step->number)) waiting[disk] = reports.back().name;
      continue;
    }
    reports.push_back({.name = undo_name(step->step),
                       .disk = disk,
                       .outcome = Outcome::error,
                       .reason = before != waiting.end()
                                     ? "waits for: " + before->second
                                     : "its I/O may still be under way; finish with `diskproof cleanup`",
                       .seconds = 0});
  }
  if (all_made && journal.open().empty()) journal.remove();
  return reports;
}

}  // namespace diskproof
