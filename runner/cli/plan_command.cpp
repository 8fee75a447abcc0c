// `diskproof plan JOB`: what `run` would do, and whether the guard would let it.
#include <nlohmann/json.hpp>

#include "cli/cli.hpp"
#include "cli/plan_source.hpp"
#include "plan/plan_json.hpp"
#include "plan/plan_printer.hpp"
#include "report/json_text.hpp"
#include "support/path_text.hpp"
#include "target/guard.hpp"

namespace diskproof {

int plan_command(const ShowPlanRequest& request, const Places& places, Terminal& terminal) {
  const auto checked = load_checked_job(request.job, request.sets, "", places, terminal.err);
  if (!checked) return static_cast<int>(ExitCode::bad_job);
  EngineSource engines(places, request.engine_paths);
  const auto plan = plan_job(*checked, plan_request(*checked), engines, terminal.err);
  if (!plan) return static_cast<int>(ExitCode::bad_job);
  terminal.show(request.json ? pretty_json(plan_to_json(*plan)) : print_plan(*plan));
  // The folder of the reports is made by a run and may hold the files, so it cannot be looked at yet.
  for (const DiskPlan& disk : plan->disks) {
    const auto below = path_from(base_folder(disk)).lexically_relative(path_from(plan->out_dir));
    if (below.empty() || *below.begin() == "..") guard_disk(disk, plan->job_name);
  }
  return static_cast<int>(ExitCode::pass);
}

}  // namespace diskproof
