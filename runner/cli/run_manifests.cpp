// By the run's ID in their heads.
#include "cli/run_manifests.hpp"

#include <filesystem>
#include <fmt/format.h>

#include "integrity/manifest.hpp"
#include "integrity/owed_manifest.hpp"
#include "support/error.hpp"
#include "support/path_text.hpp"
#include "target/cleanup.hpp"

namespace diskproof {

namespace {

bool is_there(const std::string& path) {
  std::error_code none;
  return std::filesystem::exists(path_from(path), none);
}

// Of the same name, since it may have been meant to be copied; empty: none is owed.
std::string debt_text(const std::string& path, const std::string& state_root) {
  for (const AbandonedRun& run : find_abandoned_runs(state_root)) {
    for (const std::string& owed : manifests_owed(run)) {
      if (path_from(owed).filename() != path_from(path).filename()) continue;
      return fmt::format("; run {} was cut off and still owes {}: `diskproof cleanup` makes it",
                         run.journal.header.run_id, owed);
    }
  }
  return "";
}

}  // namespace

ManifestFacts find_manifest(const std::string& path, const std::string& state_root) {
  try {
    return read_manifest_facts(path);
  } catch (const Error& error) {
    if (is_there(path)) throw;
    throw Error(error.kind(), error.what() + debt_text(path, state_root));
  }
}

void drop_untrue_manifests(const Plan& plan, const PhasePlan& phase, const std::string& state_folder) {
  if (phase.verify.write || (phase.operations.write <= 0 && phase.operations.trim <= 0)) return;
  for (const PhasePlan& writer : plan.phases) {
    if (!writer.verify.write || !writer.skip.empty() || writer.disk != phase.disk) continue;
    forgive_manifest(path_in(state_folder, writer.verify.map));
    std::error_code none;
    std::filesystem::remove(path_from(writer.verify.manifest), none);
  }
}

bool has_manifest(const Plan& plan, const PhasePlan& check) {
  if (!is_there(check.verify.manifest)) return false;
  const std::string run_id = manifest_run_id(check.verify.manifest);
  return run_id.empty() || run_id == plan.run_id;
}

std::vector<std::string> left_manifests(const Plan& plan) {
  std::vector<std::string> paths;
  for (const PhasePlan& phase : plan.phases) {
    const bool ours = phase.verify.write && manifest_run_id(phase.verify.manifest) == plan.run_id;
    if (ours) paths.push_back(phase.verify.manifest);
  }
  return paths;
}

}  // namespace diskproof
