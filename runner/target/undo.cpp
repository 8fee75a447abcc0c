// One function per kind of step.
#include "target/undo.hpp"

#include "support/clock.hpp"
#include "support/error.hpp"
#include "target/marker.hpp"

namespace diskproof {
namespace {

// Without an identity the run ended between creating the file and recording it: then only an empty file of this user
// that is no older than the run can be the one.
bool is_ours(const UndoStep& step, const FileStatus& status, std::int64_t run_started) {
  if (step.identity) return status.identity == *step.identity;
  return status.size == 0 && status.owned && status.changed >= run_started;
}

Error not_ours(const std::string& path) {
  return {ErrorKind::failed, "left " + path + " alone: it is not the one that the run made"};
}

void undo_file(const UndoStep& step, std::int64_t run_started) {
  const FileStatus status = look_at(step.path);
  if (status.type == FileType::missing) return;
  if (status.type != FileType::regular || !is_ours(step, status, run_started)) throw not_ours(step.path);
  if (step.keep && load_marker(step.path, status.identity)) return;
  remove_file(step.path);
  sync_folder(folder_of(step.path));
}

// step.path is the marker, step.identity that of the file it vouches for.
void undo_marker(const UndoStep& step) {
  const std::string file = step.path.substr(0, step.path.size() - marker_path("").size());
  const std::string half_written = step.path + ".new";
  if (look_at(half_written).type == FileType::regular) remove_file(half_written);
  if (step.keep || look_at(step.path).type == FileType::missing) return;
  if (!step.identity || !load_marker(file, *step.identity)) throw not_ours(step.path);
  remove_file(step.path);
  sync_folder(folder_of(step.path));
}

void undo_folder(const UndoStep& step) {
  const FileStatus status = look_at(step.path);
  if (status.type == FileType::missing) return;
  if (status.type != FileType::directory || (step.identity && status.identity != *step.identity)) {
    throw not_ours(step.path);
  }
  // A folder that holds something may hold what others put there.
  if (!remove_empty_folder(step.path) && !step.keep) {
    throw Error(ErrorKind::failed, "left the folder " + step.path + ": it holds files that the run did not make");
  }
}

std::string name_of(const UndoStep& step) { return (step.keep ? "leave " : "remove ") + step.path; }

}  // namespace

StepReport undo_step(const UndoStep& step, std::int64_t run_started) {
  StepReport report{.name = name_of(step), .disk = step.disk, .outcome = Outcome::pass, .reason = {}, .seconds = 0};
  const std::uint64_t began = monotonic_ns();
  try {
    switch (step.kind) {
      case UndoKind::remove_file:
        undo_file(step, run_started);
        break;
      case UndoKind::remove_marker:
        undo_marker(step);
        break;
      case UndoKind::remove_folder:
        undo_folder(step);
        break;
    }
  } catch (const std::exception& error) {
    report.outcome = Outcome::error;
    report.reason = error.what();
  }
  report.seconds = static_cast<double>(monotonic_ns() - began) / 1e9;
  return report;
}

}  // namespace diskproof
