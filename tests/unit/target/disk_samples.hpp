// Plans of disks inside a test's folder.
#pragma once

#include <string>

#include "plan/plan.hpp"
#include "support/process.hpp"
#include "support/temp_folder.hpp"
#include "target/filesystem_facts.hpp"
#include "target/journal.hpp"

namespace diskproof {

inline constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

inline DiskPlan file_disk(const std::string& path, std::uint64_t size = 8192) {
  DiskPlan disk;
  disk.name = "data";
  disk.kind = DiskKind::file;
  disk.path = path;
  disk.files = {path};
  disk.file_size = size;
  return disk;
}

inline DiskPlan directory_disk(const std::string& path, const std::string& work_path, int files = 2) {
  DiskPlan disk;
  disk.name = "data";
  disk.kind = DiskKind::directory;
  disk.path = path;
  disk.work_path = work_path;
  for (int i = 0; i < files; ++i) disk.files.push_back(work_path + "/t" + std::to_string(i) + ".dat");
  disk.file_size = 8192;
  return disk;
}

inline Plan plan_with(const DiskPlan& disk) {
  Plan plan;
  plan.disks = {disk};
  return plan;
}

inline FilesystemFacts roomy_filesystem(const std::string&) {
  FilesystemFacts facts;
  facts.type = "ext4";
  facts.mount_point = "/mnt";
  facts.device = 1;
  facts.size = 1000 * kGiB;
  facts.available = 900 * kGiB;
  return facts;
}

inline JournalHeader sample_header(const std::string& run_id = "run-1") {
  return {.run_id = run_id,
          .job_file = "sample.yaml",
          .started_at = "2027-03-09T18:44:05Z",
          .started = 1,
          .process = current_process()};
}

}  // namespace diskproof
