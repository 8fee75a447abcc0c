// One block of text per disk and per phase, then the sums.
#include "plan/plan_printer.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "plan/enum_names.hpp"
#include "plan/estimate.hpp"
#include "plan/planner.hpp"
#include "support/counted.hpp"
#include "support/cpu_list.hpp"
#include "support/units.hpp"

namespace diskproof {
namespace {

std::string line(const std::string& name, const std::string& value) {
  return fmt::format("    {:<12} {}\n", name, value);
}

std::string flags(const DiskPlan& disk) {
  std::string text;
  for (const auto& [set, name] :
       {std::pair{disk.keep, "keep"}, {disk.fill, "fill"}, {disk.overwrite, "overwrite"}, {disk.destroy, "destroy"}}) {
    if (set) text += (text.empty() ? "" : ", ") + std::string(name);
  }
  return text;
}

std::string limits_text(const std::vector<LimitGroup>& groups) {
  std::string text;
  for (const LimitGroup& group : groups) {
    for (const auto& [name, value] : group.values) {
      const bool bandwidth = name.ends_with("bandwidth");
      text += fmt::format("{}{}{} {}", text.empty() ? "" : ", ", group.name.empty() ? "" : group.name + " ", name,
                          bandwidth ? format_bandwidth(value) : format_count(value) + "/s");
    }
  }
  return text;
}

std::string filesystem_text(const Filesystem& filesystem) {
  std::string text = filesystem.type;
  for (const std::string& argument : filesystem.mkfs_args) text += " " + argument;
  for (const std::string& option : filesystem.mount_options) {
    text += (&option == &filesystem.mount_options.front() ? ", mounted with " : ",") + option;
  }
  return text;
}

std::string disk_text(const DiskPlan& disk) {
  std::string text = fmt::format("  {} ({})\n", disk.name, name_of(disk.kind));
  if (!disk.path.empty()) text += line(disk.kind == DiskKind::loop ? "image" : "path", disk.path);
  if (disk.share) text += line("share", fmt::format("{} ({})", disk.share->source, disk.share->type));
  if (disk.capacity != 0) text += line("capacity", format_bytes(disk.capacity));
  if (!disk.files.empty()) {
    text += line("work folder", disk.work_path.empty() ? "none" : disk.work_path);
    for (const std::string& file : disk.files) text += line("file", file + ", " + format_bytes(disk.file_size));
  }
  for (const PrepareStep& step : disk.prepare) {
    text += line("prepare", std::string(name_of(step.kind)) + (step.value.empty() ? "" : " " + step.value));
  }
  if (disk.filesystem) text += line("file system", filesystem_text(*disk.filesystem));
  if (!disk.mount_point.empty()) text += line("mounted at", disk.mount_point);
  if (!disk.throttle.values.empty()) text += line("throttled", limits_text({disk.throttle}));
  if (const std::string set = flags(disk); !set.empty()) text += line("consent", set);
  if (const std::string limits = limits_text(disk.limits); !limits.empty()) text += line("limits", limits);
  return text;
}

std::string mix_text(const OperationMix& mix) {
  std::string text;
  for (const auto& [share, name] : {std::pair{mix.read, "read"}, {mix.write, "write"}, {mix.trim, "trim"}}) {
    if (share > 0) text += fmt::format("{}{} {:g}%", text.empty() ? "" : ", ", name, share);
  }
  return text;
}

std::string stop_text(const StopRule& stop) {
  switch (stop.kind) {
    case StopRule::Kind::duration:
      return format_ns(stop.value);
    case StopRule::Kind::bytes:
      return format_bytes(stop.value);
    case StopRule::Kind::operations:
      return format_count(static_cast<double>(stop.value)) + " operations";
  }
  return "";
}

std::string engine_text(const EnginePlan& engine, const OptionText& option_text) {
  std::string text = line("engine", engine.name + " " + engine.version);
  for (const auto& [name, value] : engine.options)
    text += line("  option", name + ": " + (option_text ? option_text(engine, name, value) : value));
  for (const PassedOver& other : engine.passed_over) text += line("  not used", other.name + ": " + other.reason);
  return text;
}

std::string thresholds_text(const PhasePlan& phase) {
  std::string text;
  for (const Threshold& threshold : phase.thresholds) {
    text += line("threshold", threshold.check + (threshold.warn ? " (warn)" : ""));
  }
  for (const std::string& condition : phase.aborts) text += line("abort", condition);
  for (const auto& [name, severity] : phase.findings)
    text += line("finding", fmt::format("{}: {}", name, name_of(severity)));
  return text;
}

std::string access_text(const PhasePlan& phase) {
  std::string text{name_of(phase.access)};
  if (phase.access == Access::zipf || phase.access == Access::pareto) text += fmt::format(" {:g}", phase.skew);
  for (const HotZone& zone : phase.hot_zones) text += fmt::format(" {:g}%: {:g}%", zone.blocks, zone.draws);
  if (phase.shared) text += ", shared by the threads,";
  return text;
}

std::string blocks_text(const PhasePlan& phase) {
  if (phase.block_sizes.empty()) return format_bytes(phase.block_size);
  std::string text;
  for (const BlockShare& block : phase.block_sizes) {
    text += fmt::format("{}{} {:g}%", text.empty() ? "" : ", ", format_bytes(block.size), block.percent);
  }
  return text;
}

std::string repeat_text(const RepeatPlan& repeat) {
  std::string text = counted(repeat.count, "run");
  if (repeat.interval != 0) text += " with " + format_ns(repeat.interval) + " between them";
  if (repeat.discard != 0) text += fmt::format(", the first {} not counted", repeat.discard);
  if (!repeat.from_same_run) return text + fmt::format("; the {} of each metric", name_of(repeat.score));
  return text + fmt::format("; all metrics of the run with the {} bandwidth", name_of(repeat.score));
}

std::string rate_text(const PhasePlan& phase) {
  const bool even = phase.arrival == Arrival::constant;
  return format_count(phase.rate) + (even ? "/s, evenly" : "/s on average, at random distances (Poisson)");
}

std::string flushes_text(const FlushRule& rule) {
  const char* call = rule.data_only ? "fdatasync" : "fsync";
  std::string text = rule.every == 0 ? "" : fmt::format("{} after every {} writes of a thread", call, rule.every);
  if (rule.end) text += text.empty() ? fmt::format("{} at the end", call) : " and at the end";
  return text;
}

// How writes are made durable and what they carry.
std::string writes_text(const PhasePlan& phase) {
  std::string text;
  if (phase.sync != Durability::none) text += line("sync", std::string(name_of(phase.sync)));
  if (phase.fsync.wanted()) text += line("flushes", flushes_text(phase.fsync));
  const auto [compressible, dedupe] = phase.data;
  if (compressible > 0 || dedupe > 0) {
    text += line("data", fmt::format("{:g}% compressible, {:g}% dedupable", compressible, dedupe));
  }
  return text;
}

std::string group_text(const PhasePlan& group, std::size_t number) {
  std::string names;
  for (const std::string& member : group.members) names += (names.empty() ? "" : ", ") + member;
  const std::string how = group.parallel ? "at the same time" : fmt::format("in turns, {} rounds", group.repeat.count);
  std::string text = fmt::format("  {}. {} (group)\n", number, group.name) + line("phases", names + "; " + how);
  if (group.parallel) text += line("intervals", format_ns(group.interval_grid));
  if (group.timeout != 0) text += line("timeout", format_ns(group.timeout));
  if (const std::string limits = limits_text(group.limits); !limits.empty()) text += line("limits", limits);
  return text + thresholds_text(group);
}

// What was written and where that is said; the rest of a load has no meaning.
std::string check_text(const PhasePlan& phase) {
  const std::string whose = phase.verify.of.empty() ? "an earlier run" : "phase " + phase.verify.of;
  std::string text = line("checks", "what " + whose + " wrote, by " + phase.verify.manifest);
  for (const TargetPlan& target : phase.targets) text += line("reads", target.spec);
  text += line("queues", fmt::format("{} x queue_depth {}, reads of up to {}", counted(phase.threads, "thread"),
                                     phase.queue_depth, format_bytes(phase.block_size)));
  if (!phase.cpus.empty()) text += line("cpus", cpu_list_text(phase.cpus));
  text += line("direct", phase.direct ? "yes" : "no");
  if (phase.repeat.count > 1) text += line("repeat", repeat_text(phase.repeat));
  text += line("intervals", format_ns(phase.interval_grid));
  text += line("timeouts", fmt::format("{}, {} per I/O", format_ns(phase.timeout), format_ns(phase.io_timeout)));
  for (const std::string& other : phase.required) text += line("requires", other);
  if (phase.optional) text += line("optional", "yes");
  return text + line("threshold", "verify.bytes == verify.expected (of every check)") + thresholds_text(phase);
}

std::string stamps_text(const VerifyPlan& verify) {
  if (!verify.write) return "";
  std::string text = line("verify", "writes are stamped; manifest " + verify.manifest);
  if (verify.during > 0) text += line("verify", fmt::format("{:g}% of them are read back meanwhile", verify.during));
  return text;
}

std::string phase_text(const PhasePlan& phase, std::size_t number, const OptionText& option_text) {
  if (phase.kind == PhaseKind::group) return group_text(phase, number);
  std::string text = fmt::format("  {}. {} ({}) on {}\n", number, phase.name, name_of(phase.kind), phase.disk);
  if (!phase.skip.empty()) return text + line("skipped", phase.skip);
  if (phase.pause != 0) text += line("pause", format_ns(phase.pause) + " before it");
  text += engine_text(phase.engine, option_text);
  if (phase.kind == PhaseKind::verify) return text + check_text(phase);
  text += line("load",
               fmt::format("{} {}, blocks of {}", access_text(phase), mix_text(phase.operations), blocks_text(phase)));
  text += line("queues", fmt::format("{} x queue_depth {}, batch {}", counted(phase.threads, "thread"),
                                     phase.queue_depth, phase.batch == 0 ? "auto" : std::to_string(phase.batch)));
  if (!phase.cpus.empty()) text += line("cpus", cpu_list_text(phase.cpus));
  if (phase.rate > 0) text += line("rate", rate_text(phase));
  if (phase.think_time > 0) text += line("think time", format_ns(phase.think_time) + " after each completion");
  text += line("region", fmt::format("{} from byte {} of {}", format_bytes(phase.region_size), phase.region_from,
                                     counted(phase.targets.size(), "file")));
  text += line("direct", phase.direct ? "yes" : "no");
  text += writes_text(phase) + stamps_text(phase.verify);
  text += line("layout", std::string(name_of(phase.layout)));
  text += line("runs for",
               stop_text(phase.stop) + (phase.warmup == 0 ? "" : " after " + format_ns(phase.warmup) + " of warm-up"));
  if (phase.repeat.count > 1) text += line("repeat", repeat_text(phase.repeat));
  text += line("intervals", format_ns(phase.interval_grid));
  text += line("timeouts", fmt::format("{}, {} per I/O", format_ns(phase.timeout), format_ns(phase.io_timeout)));
  text += line("max errors", std::to_string(phase.max_errors));
  text += line("seed", phase.seed == kSeedOfTheRun ? "a fresh one in each run" : std::to_string(phase.seed));
  if (const std::string limits = limits_text(phase.limits); !limits.empty()) text += line("limits", limits);
  for (const std::string& need : phase.needs) text += line("needs", need);
  for (const std::string& other : phase.required) text += line("requires", other);
  if (phase.optional) text += line("optional", "yes");
  return text + thresholds_text(phase);
}

// What can be known before: bounds, where there is no number.
std::string sums_text(const Plan& plan) {
  const Estimate sums = estimate(plan);
  std::string text = "\nestimated\n";
  text += fmt::format("  wall time    {}\n", time_text(sums.time));
  for (const DiskEstimate& disk : sums.disks) {
    text += fmt::format("  written      {} to {}\n", bytes_text(disk.written), disk.disk);
  }
  return text;
}

}  // namespace

std::string print_plan(const Plan& plan, const OptionText& option_text) {
  std::string text = plan.job_name + (plan.description.empty() ? "" : ": " + plan.description) + "\n";
  text += "job file     " + plan.job_file + "\n";
  text += "reports      " + plan.out_dir + "\n";
  text += "memory limit " + format_bytes(plan.memory_limit) + " of I/O buffers per phase\n";
  if (plan.smoke) text += "smoke        yes: thresholds are shown and decide nothing\n";
  if (plan.timeout != 0) text += "timeout      " + format_ns(plan.timeout) + "\n";
  if (plan.max_written != 0) text += "max written  " + format_bytes(plan.max_written) + "\n";
  for (const auto& [key, value] : plan.labels) text += fmt::format("label        {}: {}\n", key, value);
  text += "\ndisks\n";
  for (const DiskPlan& disk : plan.disks) text += disk_text(disk);
  text += "\nphases\n";
  for (std::size_t i = 0; i < plan.phases.size(); ++i) text += phase_text(plan.phases[i], i + 1, option_text);
  return text + sums_text(plan);
}

}  // namespace diskproof
