// Preference lists, capabilities and options of engines.
#include "plan/engine_choice.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "engine/options.hpp"
#include "job/sizes.hpp"
#include "plan/gate_check.hpp"
#include "support/error.hpp"

namespace diskproof {
namespace {

std::string missing_operation(const EngineInfo& engine, const Phase& phase) {
  struct Needed {
    bool needed;
    dp_op operation;
    const char* name;
  };
  const OperationMix& mix = phase.operations;
  const bool flushes = phase.fsync.wanted() && mix.write > 0;
  for (const auto& [needed, operation, name] : {Needed{mix.read > 0 || phase.verify.during > 0, DP_OP_READ, "read"},
                                                {mix.write > 0, DP_OP_WRITE, "write"},
                                                {mix.trim > 0, DP_OP_TRIM, "trim"},
                                                {flushes && !phase.fsync.data_only, DP_OP_FSYNC, "fsync"},
                                                {flushes && phase.fsync.data_only, DP_OP_FDATASYNC, "fdatasync"}}) {
    if (needed && !engine.supports(operation)) return name;
  }
  return "";
}

// That the engine must hold.
std::uint32_t least_depth(const Phase& phase) { return phase.verify.any_depth ? 1 : phase.queue_depth; }

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

// Where the job gives an option: the engine stands alone or in a list.
class OptionPlaces {
 public:
  OptionPlaces(const Job& job, const std::string& path, std::size_t index)
      : engine_(path + ".engine"), item_(fmt::format("{}[{}]", engine_, index)) {
    if (job.source.has(item_)) engine_ = item_;
  }
  [[nodiscard]] const std::string& engine() const noexcept { return engine_; }
  [[nodiscard]] std::string option(const std::string& key) const { return engine_ + "." + key; }
  // Of the given option that the engine's words name first; of the engine when they name none.
  [[nodiscard]] std::string named_in(const std::string& words, const std::map<std::string, std::string>& given) const {
    std::size_t first = std::string::npos;
    std::string place = engine_;
    for (const auto& [key, value] : given) {
      const std::size_t at = find_word(words, key);
      if (at < first) first = at, place = option(key);
    }
    return place;
  }

 private:
  static bool is_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
  static std::size_t find_word(const std::string& text, const std::string& word) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
      const std::size_t end = at + word.size();
      if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end]))) return at;
    }
    return std::string::npos;
  }

  std::string engine_, item_;
};

EngineTrial trial_of(const Disk& disk, const Phase& phase, const std::map<std::string, std::string>& options) {
  EngineTrial trial{.options = options, .target = {}, .size = 0, .depth = least_depth(phase), .max_length = 0};
  if (disk.kind != DiskKind::virtual_disk) return trial;
  trial.target = disk.name;
  trial.size = file_size_of(disk, phase);
  trial.max_length = phase.block_size;
  return trial;
}

// The options as the engine gets them, checked by its table and by the engine itself. What is wrong with them is the
// job's fault; what this machine cannot do with them is the candidate's reason.
std::map<std::string, std::string> settle_options(Candidate& candidate, const EngineChoice& choice,
                                                  const OptionPlaces& places, const Job& job, const Disk& disk,
                                                  const Phase& phase, const MachineView& machine,
                                                  Diagnostics& diagnostics) {
  ResolvedOptions options = resolve_options(candidate.info, choice.options);
  for (const OptionFault& fault : options.faults)
    diagnostics.push_back(error_at(job, places.option(fault.key), fault.message, fault.hint));
  if (!options.faults.empty() || choice.options.empty()) return std::move(options.values);
  try {
    machine.try_engine(candidate.info, trial_of(disk, phase, options.values));
  } catch (const Error& error) {
    const std::string words = error.what();
    if (error.kind() == ErrorKind::bad_job) {
      diagnostics.push_back(error_at(job, places.named_in(words, choice.options), words, ""));
    } else {
      candidate.kind = error.kind();
      candidate.reason = words;
    }
  }
  return std::move(options.values);
}

EnginePlan take(const EngineInfo& info, const Disk& disk, std::map<std::string, std::string> options) {
  return {.name = info.name,
          .version = info.version,
          .path = info.path,
          .options = std::move(options),
          .passed_over = {},
          .sync = info.can(DP_CAP_SYNC),
          .no_target = info.can(DP_CAP_NO_TARGET) || disk.kind == DiskKind::url,
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
  if (const std::string operation = missing_operation(engine, phase); !operation.empty()) {
    return "engine " + engine.name + " cannot " + operation;
  }
  const std::uint32_t depth = least_depth(phase);
  if (engine.can(DP_CAP_SYNC) && depth > 1) {
    return "engine " + engine.name + " does one I/O at a time per thread, so queue_depth " + std::to_string(depth) +
           " cannot be held; use threads instead";
  }
  if (engine.max_depth != 0 && depth > engine.max_depth) {
    return "engine " + engine.name + " holds a queue_depth of at most " + std::to_string(engine.max_depth) + ", not " +
           std::to_string(depth);
  }
  const bool is_virtual = disk.kind == DiskKind::virtual_disk;
  if (is_virtual && !engine.can(DP_CAP_NO_TARGET)) {
    return "engine " + engine.name + " needs a file or device, and disk " + disk.name + " is virtual";
  }
  const bool is_url = disk.kind == DiskKind::url;
  if (is_url && (!engine.can(DP_CAP_URLS) || !engine.can(DP_CAP_NAMES))) {
    return "engine " + engine.name + " does not work on URLs, as disk " + disk.name + " is one";
  }
  if (!is_virtual && !is_url && !engine.can(DP_CAP_FILES)) {
    return "engine " + engine.name + " does not work on files, as disk " + disk.name + " has them";
  }
  return "";
}

std::uint32_t depth_with(const EnginePlan& engine, const Phase& phase, const MachineView& machine) {
  if (!phase.verify.any_depth || engine.name.empty()) return phase.queue_depth;
  if (engine.sync) return 1;
  const std::uint64_t most = machine.engine_info(engine.name).max_depth;
  return most == 0 ? phase.queue_depth : static_cast<std::uint32_t>(std::min<std::uint64_t>(most, phase.queue_depth));
}

EnginePlan choose_engine(const Job& job, const Disk& disk, const Phase& phase, const std::string& path,
                         const MachineView& machine, Diagnostics& diagnostics) {
  std::vector<PassedOver> passed_over;
  for (std::size_t i = 0; i < phase.engines.size(); ++i) {
    const EngineChoice& choice = phase.engines[i];
    Candidate candidate = look_up(choice.name, disk, phase, machine);
    if (candidate.reason.empty()) {
      auto options = settle_options(candidate, choice, {job, path, i}, job, disk, phase, machine, diagnostics);
      if (candidate.reason.empty()) {
        EnginePlan plan = take(candidate.info, disk, std::move(options));
        plan.passed_over = std::move(passed_over);
        return plan;
      }
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
