// By the run's ID in their heads.
#include "cli/run_manifests.hpp"

#include <filesystem>

#include "integrity/manifest.hpp"
#include "integrity/owed_manifest.hpp"
#include "support/path_text.hpp"

namespace diskproof {

namespace {

bool is_there(const std::string& path) {
  std::error_code none;
  return std::filesystem::exists(path_from(path), none);
}

}  // namespace

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
