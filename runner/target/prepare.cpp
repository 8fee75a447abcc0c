// Steps of preparation, each with its undo.
#include "target/prepare.hpp"

#include <algorithm>
#include <filesystem>
#include <type_traits>
#include <utility>

#include "plan/disk_steps.hpp"
#include "support/clock.hpp"
#include "support/error.hpp"
#include "support/path_text.hpp"
#include "target/device_guard.hpp"
#include "target/folder_owner.hpp"
#include "target/journaled.hpp"
#include "target/reach.hpp"
#include "target/undo.hpp"

namespace diskproof {
namespace {

Error in_use(const std::string& what) {
  return {ErrorKind::refused, what + " is in use by another run of diskproof; wait for its end, or use another path"};
}

}  // namespace

Preparation::Preparation(const Plan& plan, const std::string& state_root, const JournalHeader& header,
                         PreparationTerms terms)
    : plan_(plan), terms_(std::move(terms)), journal_(state_root, header) {}

// What the action answers, if it does, is the step's output.
template <class Action>
void Preparation::step(const std::string& name, const std::string& disk, Action action) {
  StepReport report{.name = name, .disk = disk, .outcome = Outcome::pass, .reason = {}, .seconds = 0};
  const std::uint64_t began = monotonic_ns();
  const auto finish = [&] {
    report.seconds = static_cast<double>(monotonic_ns() - began) / 1e9;
    steps_.push_back(report);
  };
  try {
    if constexpr (std::is_void_v<decltype(action())>) {
      action();
    } else {
      report.output = action();
    }
  } catch (const std::exception& error) {
    report.outcome = Outcome::error;
    report.reason = error.what();
    finish();
    throw;
  }
  finish();
}

void Preparation::prepare(const FilesystemView& filesystem) {
  for (const DiskPlan& disk : plan_.disks) {
    // What is below a mount shows when it is mounted.
    if (disk.kind != DiskKind::mount) step("guard " + disk.name, disk.name, [&] { guard(disk); });
    if (disk.kind == DiskKind::mount && is_used(plan_, disk)) guard_share(disk);
  }
  guard_distinct(guarded_);
  step("free space", "", [&] { guard_space(disks_on_files(plan_), filesystem); });
  // Shares first: what speaks against one shows when it is mounted, and then no disk has been formatted yet.
  for (const bool shares : {true, false}) {
    for (const DiskPlan& disk : plan_.disks) {
      if ((disk.kind == DiskKind::mount) == shares && has_to_be_made(disk)) make_disk(disk, filesystem);
    }
  }
}

bool Preparation::has_to_be_made(const DiskPlan& disk) const {
  using enum DiskKind;
  if (disk.kind == file || disk.kind == directory || disk.kind == url) return !disk.files.empty();
  return disk.kind != virtual_disk && is_used(plan_, disk);
}

void Preparation::guard_url(const DiskPlan& disk) {
  if (disk.files.empty()) return;
  auto& made = url_disks_[disk.name] = std::make_unique<UrlDisk>(plan_, disk, journal_, terms_.open_url);
  made->guard();
}

void Preparation::guard(const DiskPlan& disk) {
  if (disk.kind == DiskKind::url) return guard_url(disk);
  if (disk.kind != DiskKind::device) {
    guard_state_folder(disk, folder_of(journal_.folder()));
    return guard_disk(disk, plan_.job_name);
  }
  if (!is_used(plan_, disk)) return;
  if (auto facts = guard_device(plan_, disk, terms_.allowed_to_destroy)) guarded_.emplace(disk.name, *facts);
}

void Preparation::make_disk(const DiskPlan& disk, const FilesystemView& filesystem) {
  try {
    if (disk.kind == DiskKind::loop) {
      step("create " + disk.name, disk.name, [&] {
        require_write("disk " + disk.name + ":", folder_of(disk.path));
        make_file(disk, disk.path, disk.capacity);
      });
    }
    const bool has_device = disk.kind == DiskKind::device || disk.kind == DiskKind::loop;
    if (has_device || disk.kind == DiskKind::mount) set_up(disk);
    if (disk.kind == DiskKind::mount) {
      step("guard " + disk.name, disk.name, [&] {
        guard_disk(disk, plan_.job_name);
        guard_space({&disk}, filesystem);
      });
    }
    if (!is_raw(disk)) step("create " + disk.name, disk.name, [&] { make_files(disk); });
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::refused) throw;
    faults_[disk.name] = error.what();
  } catch (const std::exception& error) {
    faults_[disk.name] = error.what();
  }
}

void Preparation::set_up(const DiskPlan& disk) {
  const auto found = guarded_.find(disk.name);
  const GuardedDevice guarded{.facts = found == guarded_.end() ? std::nullopt : std::optional(found->second),
                              .written = is_written(plan_, disk)};
  DeviceSetup& setup = devices_.try_emplace(disk.name, disk, guarded, journal_, terms_.stopped).first->second;
  setup.run([&](const std::string& verb, const DeviceSetup::Action& action) {
    if (terms_.stopped()) throw Error(ErrorKind::failed, "stopped before " + verb);
    step(verb + " " + disk.name, disk.name, action);
  });
}

// On a file system of the run's own nothing is there that could be in the way, and nothing has to be taken back.
void Preparation::make_files(const DiskPlan& disk) {
  if (disk.kind == DiskKind::url) return url_disks_.at(disk.name)->make();
  if (disk.kind == DiskKind::directory || disk.kind == DiskKind::mount) make_folders(disk);
  if (!disk.filesystem && !disk.files.empty()) require_write("disk " + disk.name + ":", folder_of(disk.files.front()));
  for (const std::string& path : disk.files) {
    if (disk.filesystem) {
      make_own_file(disk, path);
    } else {
      make_file(disk, path, disk.file_size);
    }
  }
}

void Preparation::make_own_file(const DiskPlan& disk, const std::string& path) const {
  create_file(path).grow_to(disk.file_size, path);
}

bool Preparation::quiet(const std::string& disk, std::uint64_t patience) const {
  const auto found = devices_.find(disk);
  return found == devices_.end() || found->second.quiet(patience);
}

int Preparation::descriptor_of(const std::string& disk) const {
  const auto found = devices_.find(disk);
  return found == devices_.end() ? -1 : found->second.descriptor();
}

std::string Preparation::throttle_of(const std::string& disk) const {
  const auto found = devices_.find(disk);
  return found == devices_.end() ? "" : found->second.throttle_group();
}

std::optional<DeviceFacts> Preparation::device_of(const std::string& disk) const {
  const auto found = devices_.find(disk);
  return found == devices_.end() ? std::nullopt : found->second.facts();
}

std::string Preparation::fault_of(const std::string& disk) const {
  const auto found = faults_.find(disk);
  return found == faults_.end() ? std::string() : found->second;
}

void Preparation::make_folders(const DiskPlan& disk) {
  std::filesystem::path folder = path_from(base_folder(disk));
  for (const auto& part : path_from(disk.work_path).lexically_relative(folder)) {
    folder /= part;
    const std::string path = text_of(folder);
    if (look_at(path).type == FileType::directory) continue;
    create_folder(journal_, {.kind = UndoKind::remove_folder,
                             .disk = disk.name,
                             .path = path,
                             .keep = disk.keep,
                             .size = 0,
                             .folder = {},
                             .identity = {}});
  }
  lock_folder(disk);
}

void Preparation::lock_folder(const DiskPlan& disk) {
  const std::string path = lock_path(disk.work_path);
  const bool exists = look_at(path).type != FileType::missing;
  // The lock of a folder that stays is never removed: a run that waits for it may have it open already.
  OpenFile lock = !exists && disk.keep ? create_file(path) : open_or_create(disk, path, 0, exists);
  if (!lock.try_lock()) throw in_use(disk.work_path);
  if (disk.keep && guard_owner(disk.work_path, plan_.job_name, disk.name)) {
    lock.append_durably(owner_text(plan_.job_name, disk.name), path);
  }
  locks_.push_back(std::move(lock));
}

OpenFile Preparation::open_or_create(const DiskPlan& disk, const std::string& path, std::uint64_t size, bool exists) {
  if (exists) return open_regular_file(path);
  return create_file(journal_, {.kind = UndoKind::remove_file,
                                .disk = disk.name,
                                .path = path,
                                .keep = disk.keep,
                                .size = size,
                                .folder = {},
                                .identity = {}});
}

void Preparation::make_file(const DiskPlan& disk, const std::string& path, std::uint64_t size) {
  const FileVerdict verdict = guard_file(disk, path);
  if (verdict.exists) guard_uses(disk, {path});  // again: since the guard other disks may have taken their time
  Made made{.disk = disk.name, .path = path, .file = open_or_create(disk, path, size, verdict.exists), .marker = {}};
  if (verdict.exists && made.file.status().identity != verdict.status.identity) {
    throw Error(ErrorKind::refused, path + " was replaced by another file while it was looked at");
  }
  if (!made.file.try_lock()) throw in_use(path);
  made.file.grow_to(size, path);
  mark(disk, made, verdict.marker);
  made_.push_back(std::move(made));
}

void Preparation::mark(const DiskPlan& disk, Made& made, const std::optional<Marker>& earlier) {
  const FileStatus status = made.file.status();
  if (earlier) made.marker = *earlier;
  made.marker.device = status.identity.device;
  made.marker.inode = status.identity.inode;
  made.marker.modified = 0;  // vouches for nothing until the undo
  made.marker.size = status.size;
  journal_.begin({.kind = UndoKind::remove_marker,
                  .disk = disk.name,
                  .path = marker_path(made.path),
                  .keep = disk.keep || earlier,
                  .size = 0,
                  .folder = {},
                  .identity = status.identity});
  store(made);
}

void Preparation::store(const Made& made) {
  replace_file(journal_, made.disk, marker_path(made.path), marker_to_text(made.marker));
}

const DiskPlan* Preparation::find(const std::string& disk) const {
  const auto found = std::find_if(plan_.disks.begin(), plan_.disks.end(),
                                  [&](const DiskPlan& candidate) { return candidate.name == disk; });
  return found == plan_.disks.end() ? nullptr : &*found;
}

bool Preparation::laid_out(const std::string& disk) const {
  const DiskPlan* plan = find(disk);
  if (plan == nullptr || plan->files.empty() || plan->filesystem) return false;
  if (plan->kind == DiskKind::url) return url_disks_.at(disk)->laid_out();
  return std::all_of(made_.begin(), made_.end(),
                     [&](const Made& made) { return made.disk != disk || made.marker.covers(plan->file_size); });
}

void Preparation::record_layout(const std::string& disk, std::uint64_t seed) {
  const DiskPlan* plan = find(disk);
  if (const auto url = url_disks_.find(disk); url != url_disks_.end()) url->second->record_layout(seed);
  for (Made& made : made_) {
    if (plan == nullptr || plan->filesystem || made.disk != disk) continue;
    made.marker.seed = seed;
    made.marker.generation += 1;
    made.marker.written = {{0, plan->file_size}};
    store(made);
  }
}

void Preparation::forget_layout(const std::string& disk) {
  if (const auto url = url_disks_.find(disk); url != url_disks_.end()) url->second->forget_layout();
  for (Made& made : made_) {
    if (made.disk != disk || made.marker.written.empty()) continue;
    made.marker.written.clear();
    store(made);
  }
}

void Preparation::undo(const std::set<std::string>& tainted) {
  for (auto& [disk, device] : devices_) {
    try {
      device.close();
    } catch (const Error& error) {
      steps_.push_back({.name = "close " + disk, .disk = disk, .outcome = Outcome::error, .reason = error.what()});
    }
  }
  devices_.clear();
  made_.clear();  // a network file system keeps the name of an open file in its folder
  locks_.clear();
  url_disks_.clear();
  for (StepReport& report : undo_all(journal_, tainted, terms_.open_url)) steps_.push_back(std::move(report));
}

}  // namespace diskproof
