// Refuse, make, mark.
#include "target/url_disk.hpp"

#include <algorithm>
#include <utility>

#include "support/error.hpp"
#include "support/url_text.hpp"
#include "target/folder_owner.hpp"

namespace diskproof {
namespace {

using Kind = UrlOrder::Kind;

constexpr std::uint64_t kMostText = 64 << 10;

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

}  // namespace

UrlPlace url_place(const Plan& plan, const DiskPlan& disk) {
  const auto phase = std::find_if(plan.phases.begin(), plan.phases.end(), [&](const PhasePlan& one) {
    return one.disk == disk.name && one.skip.empty() && !one.engine.path.empty();
  });
  if (phase == plan.phases.end()) throw Error(ErrorKind::failed, "disk " + disk.name + ": no phase has an engine");
  return {phase->engine.path, phase->engine.options, disk.path};
}

UrlDisk::UrlDisk(const Plan& plan, const DiskPlan& disk, Journal& journal, const UrlOpener& open)
    : plan_(plan), disk_(disk), journal_(journal), place_(url_place(plan, disk)), open_(open) {}

UrlAnswer UrlDisk::ask(const UrlOrder& order) {
  if (!session_) session_ = open_(place_);
  return session_->ask(order);
}

void UrlDisk::guard() {
  const UrlAnswer itself = ask({.kind = Kind::look_at});
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorKind::refused, "disk " + disk_.name + ": " + why);
  };
  if (!itself.yes) refuse("there is no " + disk_.path + "; create the folder first");
  if (disk_.work_path.empty() && itself.folder) refuse(disk_.path + " was a file when the run was planned");
  if (!disk_.work_path.empty() && !itself.folder) refuse(disk_.path + " was a folder when the run was planned");
  if (disk_.work_path.empty() && !disk_.overwrite)
    refuse(disk_.path +
           " is a file that diskproof did not make; name its folder, or set `overwrite: true` if its "
           "content may be lost");
  if (!disk_.work_path.empty()) guard_folder();
}

void UrlDisk::guard_folder() {
  const UrlAnswer found = ask({.kind = Kind::look_at, .path = disk_.work_path});
  if (!found.yes) return;
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorKind::refused, "disk " + disk_.name + ": the work folder " + name(disk_.work_path) + " " + why +
                                        "; use another `subdirectory`, or another name");
  };
  if (!found.folder) refuse("is a file");
  if (!disk_.keep) refuse("exists already");
  const std::string owner = read(disk_.work_path + "/owner");
  if (owner.empty()) refuse("was not made by diskproof");
  if (owner != owner_text(plan_.job_name, disk_.name)) refuse("is kept by another disk or job");
}

std::string UrlDisk::read(const std::string& path) {
  return ask({.kind = Kind::read, .path = path, .size = kMostText}).text;
}

// The id of what was made; nothing when the name is taken.
std::optional<std::uint64_t> UrlDisk::begin_and_make(UndoKind kind, const std::string& path, bool keep,
                                                     std::uint64_t size) {
  const std::uint64_t step = journal_.begin({.kind = kind,
                                             .disk = disk_.name,
                                             .path = path,
                                             .keep = keep,
                                             .size = size,
                                             .folder = {},
                                             .identity = {},
                                             .place = place_});
  const Kind order = kind == UndoKind::remove_folder ? Kind::make_folder : Kind::make_file;
  const UrlAnswer made = ask({.kind = order, .path = path, .size = size});  // when it fails, undo will look
  if (!made.yes) {
    journal_.finish(step);
    return std::nullopt;
  }
  journal_.identify(step, {.device = 0, .inode = made.id, .born = 0});
  return made.id;
}

void UrlDisk::make() {
  if (disk_.work_path.empty()) return;
  make_folders();
  lock();
  if (disk_.keep) own();
  for (const std::string& spec : disk_.files) make_file(path_below(disk_.path, spec));
  session_.reset();  // a server drops what is idle for as long as a phase may take
}

void UrlDisk::make_folders() {
  std::vector<std::string> missing;
  for (std::string path = disk_.work_path; !path.empty(); path = parent_of(path)) {
    if (ask({.kind = Kind::look_at, .path = path}).yes) break;
    missing.push_back(path);
  }
  for (auto path = missing.rbegin(); path != missing.rend(); ++path) {
    if (begin_and_make(UndoKind::remove_folder, *path, disk_.keep, 0) || *path != disk_.work_path) continue;
    throw Error(ErrorKind::refused, "disk " + disk_.name + ": somebody else has just made " + name(*path));
  }
}

void UrlDisk::lock() {
  if (begin_and_make(UndoKind::remove_file, disk_.work_path + "/lock", false, 0)) return;
  throw Error(ErrorKind::refused, "disk " + disk_.name + ": " + name(disk_.work_path) +
                                      " is in use by another run of diskproof, or was left by one that was cut off; "
                                      "wait for its end, or finish it with `diskproof cleanup` where it ran");
}

void UrlDisk::own() {
  const std::string path = disk_.work_path + "/owner";
  if (!begin_and_make(UndoKind::remove_file, path, true, 0)) return;
  ask({.kind = Kind::write, .path = path, .text = owner_text(plan_.job_name, disk_.name)});
}

// In a folder whose owner is this disk every file of this name is ours; its marker says what it holds.
void UrlDisk::make_file(const std::string& path) {
  const UrlAnswer found = ask({.kind = Kind::look_at, .path = path});
  if (found.yes && found.folder) throw Error(ErrorKind::refused, name(path) + " is a folder");
  Marker marker;
  marker.inode = found.id;
  marker.size = disk_.file_size;
  if (!found.yes) {
    const auto id = begin_and_make(UndoKind::remove_file, path, disk_.keep, disk_.file_size);
    if (!id) throw Error(ErrorKind::refused, "somebody else has just made " + name(path));
    marker.inode = *id;
  }
  if (!disk_.keep) return;
  const std::string there = found.yes ? read(marker_path(path)) : "";
  try {
    const Marker earlier = there.empty() ? marker : marker_from_text(there, name(marker_path(path)));
    if (earlier.inode == marker.inode && earlier.size <= found.size) marker = earlier;
  } catch (const Error&) {
    // Cut off while it was written: the file is written again.
  }
  markers_[path] = marker;
  store(path, marker);
}

void UrlDisk::store(const std::string& path, const Marker& marker) {
  const std::string at = marker_path(path);
  begin_and_make(UndoKind::remove_file, at, true, 0);
  ask({.kind = Kind::write, .path = at, .text = marker_to_text(marker)});
}

bool UrlDisk::laid_out() const {
  if (markers_.size() != disk_.files.size()) return false;
  return std::all_of(markers_.begin(), markers_.end(),
                     [&](const auto& entry) { return entry.second.covers(disk_.file_size); });
}

void UrlDisk::record_layout(std::uint64_t seed) {
  try {
    for (auto& [path, marker] : markers_) {
      marker.size = std::max(marker.size, disk_.file_size);
      marker.seed = seed;
      marker.generation += 1;
      marker.written = {{0, disk_.file_size}};
      store(path, marker);
    }
  } catch (const Error&) {
    // Without its marker a file is written again next time, no more.
  }
  session_.reset();
}

void UrlDisk::forget_layout() {
  for (auto& [path, marker] : markers_) {
    if (marker.written.empty()) continue;
    marker.written.clear();
    store(path, marker);
  }
  session_.reset();
}

}  // namespace diskproof
