// `diskproof plan JOB`: what `run` would do, and whether the guard would let it.
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/cli.hpp"
#include "cli/plan_source.hpp"
#include "engine/options.hpp"
#include "plan/disk_steps.hpp"
#include "plan/plan_json.hpp"
#include "plan/plan_printer.hpp"
#include "report/json_text.hpp"
#include "support/error.hpp"
#include "support/path_text.hpp"
#include "support/units.hpp"
#include "target/device_guard.hpp"
#include "target/device_setup.hpp"
#include "target/filesystem_facts.hpp"
#include "target/guard.hpp"
#include "target/journal.hpp"

namespace diskproof {

namespace {

// A seed that only the run will draw is null.
nlohmann::ordered_json json_of(const Plan& plan) {
  auto json = plan_to_json(plan);
  for (auto& phase : json.at("phases")) {
    if (phase.at("seed") == kSeedOfTheRun) phase["seed"] = nullptr;
  }
  return json;
}

OptionText options_of(EngineSource& engines) {
  return [&engines](const EnginePlan& engine, const std::string& name, const std::string& value) {
    for (const EngineOption& option : engines.info(engine.name).options) {
      if (option.name == name) return written_value(option, value);
    }
    return value;
  };
}

// Which device it is, and that it may be written to.
void show_device(const Plan& plan, const DiskPlan& disk, const DeviceFacts& facts, Terminal& terminal) {
  terminal.show(fmt::format("\ndisk {}: {} is {} ({}), {}{}{}; {}\n", disk.name, disk.path, facts.path,
                            to_string(facts.number), format_bytes(facts.size),
                            facts.serial.empty() ? "" : ", serial " + facts.serial,
                            facts.wwn.empty() ? "" : ", WWN " + facts.wwn,
                            is_written(plan, disk) ? "a run would write to it, and may" : "it would only be read"));
}

// Throws what speaks against any of them, a line each.
void show_devices(const Plan& plan, const ShowPlanRequest& request, Terminal& terminal) {
  std::string faults;
  ErrorKind kind = ErrorKind::unavailable;
  const auto note = [&](const auto& guard) {
    try {
      guard();
    } catch (const Error& error) {
      faults += (faults.empty() ? "" : "\n") + std::string(error.what());
      if (error.kind() == ErrorKind::refused) kind = ErrorKind::refused;
    }
  };
  std::map<std::string, DeviceFacts> devices;
  for (const DiskPlan& disk : plan.disks) {
    note([&] {
      if (disk.kind == DiskKind::mount && is_used(plan, disk)) guard_share(disk);
      const auto facts =
          disk.kind == DiskKind::device ? guard_device(plan, disk, request.allowed_to_destroy) : std::nullopt;
      if (!facts) return;
      devices.emplace(disk.name, *facts);
      if (!request.json) show_device(plan, disk, *facts, terminal);
    });
  }
  note([&] { guard_distinct(devices); });
  if (!faults.empty()) throw Error(kind, faults);
}

}  // namespace

int plan_command(const ShowPlanRequest& request, const Places& places, Terminal& terminal) {
  auto checked = load_checked_job(request.job, request.sets, "", places, terminal.err);
  if (!checked) return static_cast<int>(ExitCode::bad_job);
  EngineSource engines(places, request.engine_paths);
  PlanRequest how = plan_request(*checked, request.scope);
  how.fresh_seed = [] { return kSeedOfTheRun; };
  const auto plan = plan_job(*checked, how, engines, terminal.err);
  if (!plan) return static_cast<int>(ExitCode::bad_job);
  terminal.show(request.json ? pretty_json(json_of(*plan)) : print_plan(*plan, options_of(engines)));
  // The folder of the reports is made by a run and may hold the files, so it cannot be looked at yet.
  std::vector<const DiskPlan*> placed;
  for (const DiskPlan* disk : disks_on_files(*plan)) {
    const auto below = path_from(base_folder(*disk)).lexically_relative(path_from(plan->out_dir));
    if (!below.empty() && *below.begin() != "..") continue;
    guard_state_folder(*disk, state_root());
    guard_disk(*disk, plan->job_name);
    placed.push_back(disk);
  }
  show_devices(*plan, request, terminal);
  guard_space(placed, [](const std::string& path) { return filesystem_facts(path); });
  return static_cast<int>(ExitCode::pass);
}

}  // namespace diskproof
