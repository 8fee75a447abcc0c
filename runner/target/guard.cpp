// The rules of DESIGN section 8 that concern files and folders.
#include "target/guard.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>

#include "support/error.hpp"
#include "support/path_text.hpp"
#include "support/units.hpp"
#include "target/file_use.hpp"
#include "target/folder_owner.hpp"

namespace diskproof {
namespace {

constexpr std::uint64_t kReserveFloor = std::uint64_t{5} << 30;

[[noreturn]] void refuse(const DiskPlan& disk, const std::string& why) {
  throw Error(ErrorKind::refused, "disk " + disk.name + ": " + why);
}

void guard_work_folder(const DiskPlan& disk) {
  const FileStatus status = look_at(disk.work_path);
  if (status.type == FileType::missing) return;
  if (status.type == FileType::symlink) {
    refuse(disk, "the work folder " + disk.work_path + " is a symbolic link; remove it");
  }
  if (status.type != FileType::directory) refuse(disk, "the work folder " + disk.work_path + " is not a folder");
  if (!status.owned) refuse(disk, "the work folder " + disk.work_path + " belongs to another user");
}

// That exist or would be made before anything is attached or mounted.
std::vector<std::string> files_of(const DiskPlan& disk) {
  return disk.kind == DiskKind::loop ? std::vector{disk.path} : disk.files;
}

std::string without_links(const std::string& path) {
  std::error_code error;
  const auto real = std::filesystem::weakly_canonical(path_from(path), error);
  return error ? path : text_of(real);
}

// Why the file is not ours as we left it; empty when it is.
std::string doubt_about(const std::string& path, const FileStatus& status, const std::optional<Marker>& marker) {
  if (!marker || marker->inode != status.identity.inode) {
    return "exists and was not made by diskproof (no layout marker " + marker_path(path) + " for it)";
  }
  if (marker->device != status.identity.device) {
    return "is on another device than its layout marker " + marker_path(path) + " says";
  }
  if (marker->modified == 0) {
    return "is in use by another run of diskproof, or was left by one that was cut off (wait for its end, or finish "
           "with `diskproof cleanup`)";
  }
  if (marker->modified != status.modified || marker->size != status.size) {
    return "was changed by somebody else after diskproof last wrote to it";
  }
  return "";
}

// What the disks of one file system ask of it.
struct Demand {
  FilesystemFacts facts;
  std::string disks;         // names, for the message
  std::uint64_t bytes = 0;   // that layout will make
  std::uint64_t reused = 0;  // that our own files hold already
  bool fill = true;          // all of them may leave less than the reserve
};

std::uint64_t reused_bytes(const DiskPlan& disk, const std::string& path, std::uint64_t size) {
  const FileVerdict verdict = guard_file(disk, path);
  return verdict.exists ? std::min(verdict.status.allocated, size) : 0;
}

std::uint64_t reused_bytes(const DiskPlan& disk, std::uint64_t bytes) {
  if (disk.kind == DiskKind::loop) return reused_bytes(disk, disk.path, bytes);
  std::uint64_t sum = 0;
  for (const std::string& path : disk.files) sum += reused_bytes(disk, path, disk.file_size);
  return sum;
}

void check(const Demand& demand) {
  const std::string asked = "disk " + demand.disks + ": files of " + format_bytes(demand.bytes) + " in total";
  if (demand.facts.size == 0) {  // ramfs, some FUSE: it does not count its space
    if (demand.fill) return;
    throw Error(ErrorKind::refused, asked + " may fill " + demand.facts.mount_point +
                                        ", which does not say how large it is; set `fill: true` on the disk if it may");
  }
  const std::string there = format_bytes(demand.facts.available) + " available and " + format_bytes(demand.reused) +
                            " held by files to be re-used, of " + format_bytes(demand.facts.size) + " on " +
                            demand.facts.mount_point;
  const std::uint64_t usable = demand.facts.available + demand.reused;
  if (demand.bytes > usable) {
    throw Error(ErrorKind::unavailable, asked + " do not fit: there are " + there + "; make `size` smaller");
  }
  const std::uint64_t reserve = free_space_reserve(demand.facts.size);
  const std::uint64_t left = usable - demand.bytes;
  if (left < reserve && !demand.fill) {
    throw Error(ErrorKind::refused, asked + " would leave " + format_bytes(left) + " free, less than the reserve of " +
                                        format_bytes(reserve) + " (there are " + there +
                                        "); make `size` smaller or set `fill: true` on the disk");
  }
}

}  // namespace

std::uint64_t free_space_reserve(std::uint64_t filesystem_size) {
  return std::max(filesystem_size / 10, kReserveFloor);
}

std::string base_folder(const DiskPlan& disk) {
  if (disk.kind == DiskKind::mount) return disk.mount_point;
  return disk.kind == DiskKind::directory ? disk.path : folder_of(disk.path);
}

// Nothing there is in danger: it only cannot be done.
void require_folder(const DiskPlan& disk, const std::string& folder) {
  if (look_at_folder(folder).type != FileType::missing) return;
  const bool itself_missing = look_at(folder).type == FileType::missing;
  throw Error(ErrorKind::unavailable,
              fmt::format("disk {}: {}", disk.name,
                          itself_missing ? "there is no folder " + folder + "; create it first"
                                         : folder + " is not a folder; name one, or remove what stands there"));
}

FileVerdict guard_file(const DiskPlan& disk, const std::string& path) {
  FileVerdict verdict;
  verdict.status = look_at(path);
  verdict.exists = verdict.status.type != FileType::missing;
  switch (verdict.status.type) {
    case FileType::missing:
      load_marker(path);  // what stands in its place must be ours
      return verdict;
    case FileType::symlink:
      refuse(disk, path + " is a symbolic link; name the file that it points to");
    case FileType::directory:
      refuse(disk, path + " is a folder; use `directory: " + path + "`");
    case FileType::device:
      refuse(disk, path + " is a device, not a regular file");
    case FileType::other:
      refuse(disk, path + " is a FIFO or socket, not a regular file");
    case FileType::regular:
      break;
  }
  verdict.marker = load_marker(path);  // consent to overwrite the file does not cover what is no marker
  const std::string doubt = doubt_about(path, verdict.status, verdict.marker);
  if (doubt.empty()) return verdict;
  if (!disk.overwrite) {
    refuse(disk, path + " " + doubt + "; use another path, or set `overwrite: true` if its content may be lost");
  }
  verdict.marker.reset();
  return verdict;
}

void guard_uses(const DiskPlan& disk, const std::vector<std::string>& paths) {
  if (paths.empty()) return;
  const std::vector<FileUse> uses = read_file_uses();
  for (const std::string& path : paths) {
    if (uses.empty()) return;
    const FileUse* const use = find_use(uses, without_links(path), look_at(path).identity);
    if (use == nullptr) continue;
    refuse(disk, fmt::format("{} is {}; what is written to it would go in there. End that ({}) if it is the right "
                             "file; `diskproof cleanup` does where a run of ours was cut off",
                             path, use->what, use->advice));
  }
}

void guard_state_folder(const DiskPlan& disk, const std::string& state_root) {
  using enum DiskKind;
  if (disk.kind != file && disk.kind != directory && disk.kind != loop) return;
  const std::string root = without_links(state_root) + "/";
  for (const std::string& path : files_of(disk)) {
    if (!(without_links(path) + "/").starts_with(root)) continue;
    refuse(disk, path + " is in the folder of the undo journals, " + state_root + "; name another place");
  }
}

void guard_disk(const DiskPlan& disk, const std::string& job) {
  if (disk.kind == DiskKind::virtual_disk || disk.kind == DiskKind::device || disk.kind == DiskKind::url) return;
  require_folder(disk, base_folder(disk));
  const bool folder = disk.kind == DiskKind::directory || disk.kind == DiskKind::mount;
  if (folder) guard_work_folder(disk);
  if (folder && disk.keep) guard_owner(disk.work_path, job, disk.name);
  std::vector<std::string> existing;
  for (const std::string& path : files_of(disk)) {
    if (guard_file(disk, path).exists) existing.push_back(path);
  }
  guard_uses(disk, existing);
}

std::vector<const DiskPlan*> disks_on_files(const Plan& plan) {
  std::vector<const DiskPlan*> disks;
  for (const DiskPlan& disk : plan.disks) {
    using enum DiskKind;
    if (disk.kind == file || disk.kind == directory || disk.kind == loop) disks.push_back(&disk);
  }
  return disks;
}

void guard_space(const std::vector<const DiskPlan*>& disks, const FilesystemView& filesystem) {
  std::map<std::uint64_t, Demand> demands;  // by file system
  for (const DiskPlan* disk : disks) {
    if (disk->files.empty()) continue;
    FilesystemFacts facts = filesystem(base_folder(*disk));
    Demand& demand = demands[facts.device];
    demand.facts = std::move(facts);
    demand.disks += (demand.disks.empty() ? "" : ", ") + disk->name;
    const std::uint64_t bytes = disk->file_size * disk->files.size();
    demand.bytes += bytes;
    demand.reused += reused_bytes(*disk, bytes);
    demand.fill = demand.fill && disk->fill;
  }
  for (const auto& [device, demand] : demands) check(demand);
}

}  // namespace diskproof
