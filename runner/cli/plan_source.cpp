// Connects the planner with this machine.
#include "cli/plan_source.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <set>

#include "cli/machine.hpp"
#include "cli/memory.hpp"
#include "cli/run_manifests.hpp"
#include "cli/times.hpp"
#include "integrity/manifest.hpp"
#include "job/phase_names.hpp"
#include "plan/smoke.hpp"
#include "support/error.hpp"
#include "support/path_text.hpp"
#include "support/thread_affinity.hpp"
#include "target/filesystem_facts.hpp"
#include "target/journal.hpp"
#include "target/reach.hpp"
#include "target/whole_size.hpp"

namespace diskproof {

PlanRequest plan_request(CheckedJob& checked, const Scope& scope) {
  Job& job = checked.job;
  for (const std::string& name : scope.only) {
    if (phases_named(job, name).empty()) {
      throw Error(ErrorKind::bad_job,
                  fmt::format("--only {}: the job has no phase of this name; {}", name, phase_name_hint(job, name)));
    }
  }
  for (const auto& [key, value] : scope.labels) job.labels[key] = value;
  if (scope.smoke) make_small(job);
  const std::string run_id = fmt::format("{}-{:08x}", compact_time(now_seconds()), random_number() >> 32);
  return {.out_dir = checked.out_dir,
          .working_dir = text_of(std::filesystem::current_path()),
          .run_id = run_id,
          .mount_point = [=](const std::string& disk) { return mount_folder(state_root(), run_id, disk); },
          .fresh_seed = random_number,
          .only = scope.only,
          .smoke = scope.smoke};
}

namespace {

// Before anything looks at them.
void require_disks(const Job& job) {
  std::vector<std::string> paths;
  for (const Disk& disk : job.disks) {
    if (disk.kind == DiskKind::file || disk.kind == DiskKind::directory || disk.kind == DiskKind::loop)
      paths.push_back(disk.path);
  }
  const std::set<std::string> silent = silent_paths(paths);
  for (const Disk& disk : job.disks) {
    if (silent.contains(disk.path)) throw no_answer(ErrorKind::unavailable, "disk " + disk.name + ":", disk.path);
  }
}

}  // namespace

std::optional<Plan> plan_job(const CheckedJob& checked, const PlanRequest& request, EngineSource& engines,
                             std::ostream& err) {
  const MachineView machine{.engine_info = [&engines](const std::string& name) { return engines.info(name); },
                            .try_engine = [&engines](const EngineInfo& engine,
                                                     const EngineTrial& trial) { engines.try_engine(engine, trial); },
                            .available_memory = [] { return available_memory(); },
                            .allowed_cpus = allowed_cpus,
                            .whole_size = [](const DiskPlan& disk) { return whole_size(disk, filesystem_facts); },
                            .manifest = [](const std::string& path) { return find_manifest(path, state_root()); },
                            .manifest_run = manifest_run_id,
                            .url_facts = [&engines](const EnginePlan& engine,
                                                    const std::string& url) { return engines.url_facts(engine, url); }};
  require_disks(checked.job);
  Diagnostics diagnostics;
  Plan plan = make_plan(checked.job, request, machine, diagnostics);
  print(diagnostics, err);
  if (has_errors(diagnostics)) return std::nullopt;
  return plan;
}

}  // namespace diskproof
