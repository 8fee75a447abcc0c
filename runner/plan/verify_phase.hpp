// What is decided for phases that stamp and for checks once all phases are planned: maps, manifests, and what a check
// reads.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "integrity/manifest_facts.hpp"
#include "job/job.hpp"
#include "plan/plan.hpp"

namespace diskproof {

// Longest read of a check, where no write was longer.
inline constexpr std::uint64_t kCheckRead = std::uint64_t{1} << 20;

struct VerifyContext {
  std::string working_dir;  // absolute: what a relative name of the job file is relative to
  std::function<ManifestFacts(const std::string& path)> manifest;    // throws Error
  std::function<std::string(const std::string& path)> manifest_run;  // the run that left it; empty: none is there
};

// Goes through all phases of `plan` that are not skipped. Checks whose phase is left out are skipped. Adds errors to
// `diagnostics`; a manifest that cannot be read throws Error, unless its phase is optional.
void settle_verification(const Job& job, const VerifyContext& settings, Plan& plan, Diagnostics& diagnostics);

// The files of a disk that a map and its manifest are about, in order, as the targets of phases name them.
std::vector<std::string> stamped_files(const DiskPlan& disk);

// One of them as the manifest names it: relative to the folder that the disk is; empty where the disk is the file.
std::string name_on_disk(const DiskPlan& disk, const std::string& file);

// "<out>/<phase>.manifest"
std::string manifest_path(const std::string& out_dir, const std::string& phase);

}  // namespace diskproof
