// Preference lists, capabilities and options of engines.
#include "plan/engine_choice.hpp"

#include "engine/options.hpp"
#include "plan/gate_check.hpp"
#include "support/error.hpp"

namespace diskproof {
namespace {

std::string missing_operation(const EngineInfo& engine, const OperationMix& mix) {
  struct Needed {
    double share;
    dp_op operation;
    const char* name;
  };
  for (const Needed& needed :
       {Needed{mix.read, DP_OP_READ, "read"}, {mix.write, DP_OP_WRITE, "write"}, {mix.trim, DP_OP_TRIM, "trim"}}) {
    if (needed.share > 0 && !engine.supports(needed.operation)) return needed.name;
  }
  return "";
}

struct Candidate {
  EngineInfo info;
  std::string reason;      // why not; empty: it can be used
  bool wrong_job = false;  // the reason holds on every machine that has this engine
  ErrorKind kind = ErrorKind::unavailable;
};

Candidate look_up(const std::string& name, const Disk& disk, const Phase& phase, const MachineView& machine) {
  Candidate candidate;
  try {
    candidate.info = machine.engine_info(name);
  } catch (const Error& error) {
    candidate.kind = error.kind();
    candidate.reason = error.what();
    return candidate;
  }
  candidate.reason = find_misfit(candidate.info, disk, phase);
  candidate.wrong_job = !candidate.reason.empty();
  if (candidate.reason.empty() && !candidate.info.available) candidate.reason = candidate.info.reason;
  return candidate;
}

EnginePlan take(const Candidate& candidate, const EngineChoice& choice, const Job& job, const std::string& path,
                Diagnostics& diagnostics) {
  const EngineInfo& info = candidate.info;
  const ResolvedOptions options = resolve_options(info, choice.options);
  for (const OptionFault& fault : options.faults) {
    diagnostics.push_back(error_at(job, path + ".engine." + fault.key, fault.message, fault.hint));
  }
  return {.name = info.name,
          .version = info.version,
          .path = info.path,
          .options = options.values,
          .passed_over = {},
          .sync = info.can(DP_CAP_SYNC),
          .no_target = info.can(DP_CAP_NO_TARGET),
          .wait_granularity = info.wait_granularity_ns};
}

// "job.yaml:12:13: phase load": where the job names the engines of the phase.
std::string name_with_place(const Job& job, const Phase& phase, const std::string& path) {
  const Diagnostic at = error_at(job, path + ".engine", "", "");
  const std::string place =
      at.at.line == 0 ? "" : at.file + ":" + std::to_string(at.at.line) + ":" + std::to_string(at.at.column) + ": ";
  return place + "phase " + phase.name;
}

}  // namespace

std::string find_misfit(const EngineInfo& engine, const Disk& disk, const Phase& phase) {
  if (const std::string operation = missing_operation(engine, phase.operations); !operation.empty()) {
    return "engine " + engine.name + " cannot " + operation;
  }
  if (engine.can(DP_CAP_SYNC) && phase.queue_depth > 1) {
    return "engine " + engine.name + " does one I/O at a time per thread, so queue_depth " +
           std::to_string(phase.queue_depth) + " cannot be held; use threads instead";
  }
  if (engine.max_depth != 0 && phase.queue_depth > engine.max_depth) {
    return "engine " + engine.name + " holds a queue_depth of at most " + std::to_string(engine.max_depth) + ", not " +
           std::to_string(phase.queue_depth);
  }
  const bool is_virtual = disk.kind == DiskKind::virtual_disk;
  if (is_virtual && !engine.can(DP_CAP_NO_TARGET)) {
    return "engine " + engine.name + " needs a file or device, and disk " + disk.name + " is virtual";
  }
  if (!is_virtual && !engine.can(DP_CAP_FILES)) {
    return "engine " + engine.name + " does not work on files, as disk " + disk.name + " has them";
  }
  return "";
}

EnginePlan choose_engine(const Job& job, const Disk& disk, const Phase& phase, const std::string& path,
                         const MachineView& machine, Diagnostics& diagnostics) {
  std::vector<PassedOver> passed_over;
  for (const EngineChoice& choice : phase.engines) {
    const Candidate candidate = look_up(choice.name, disk, phase, machine);
    if (candidate.reason.empty()) {
      EnginePlan plan = take(candidate, choice, job, path, diagnostics);
      plan.passed_over = std::move(passed_over);
      return plan;
    }
    if (phase.engines.size() == 1 && candidate.wrong_job) {
      diagnostics.push_back(error_at(job, path + ".engine", candidate.reason, ""));
      return {};
    }
    if (phase.engines.size() == 1) {
      throw Error(candidate.kind, name_with_place(job, phase, path) + ": " + candidate.reason);
    }
    passed_over.push_back({choice.name, candidate.reason});
  }
  std::string reasons;
  for (const PassedOver& engine : passed_over) reasons += "\n  " + engine.name + ": " + engine.reason;
  throw Error(ErrorKind::unavailable,
              name_with_place(job, phase, path) + ": none of its engines can be used here:" + reasons);
}

}  // namespace diskproof
