// Refuses to touch what the job may not touch, before a byte is written. Each refusal is an Error{refused} of its own
// wording that says what was found and what to change.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.hpp"
#include "target/filesystem_facts.hpp"
#include "target/marker.hpp"

namespace diskproof {

// What may happen to one file of a disk.
struct FileVerdict {
  bool exists = false;
  std::optional<Marker> marker;  // ours from an earlier run, as that run left it
  FileStatus status;
};

// One file that layout would make: missing, ours by its marker and unchanged since, or foreign with `overwrite`. What
// stands in the marker's place must be a marker in each case.
FileVerdict guard_file(const DiskPlan& disk, const std::string& path);

// That the folder is there; else Error{unavailable}.
void require_folder(const DiskPlan& disk, const std::string& folder);

// Every disk of a job but devices, which have a guard of their own: that its folder is there, its kept work folder its
// own, and that each of its files may be written.
void guard_disk(const DiskPlan& disk, const std::string& job);

// That nobody else has one of these files, which exist: as a disk or as swap space.
void guard_uses(const DiskPlan& disk, const std::vector<std::string>& paths);

// That the disk's files and folders are not among the undo journals.
void guard_state_folder(const DiskPlan& disk, const std::string& state_root);

// Bytes that stay free on a file system of that size, unless a disk says `fill`.
std::uint64_t free_space_reserve(std::uint64_t filesystem_size);

using FilesystemView = std::function<FilesystemFacts(const std::string& path)>;

// That take space of a file system which is here already: their files, or their image.
std::vector<const DiskPlan*> disks_on_files(const Plan& plan);

// That what layout makes leaves max(10 %, 5 GiB) free on each file system, and fits at all. Space that our own re-used
// files hold counts as free. Disks with `fill` are held to fitting only, which else is Error{unavailable}.
void guard_space(const std::vector<const DiskPlan*>& disks, const FilesystemView& filesystem);

// The existing folder that the files of a disk will be in or below; of a loop that of its image.
std::string base_folder(const DiskPlan& disk);

}  // namespace diskproof
