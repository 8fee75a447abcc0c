// Names and texts of facts. Values are in base units (bytes, nanoseconds) where they are for machines.
#include "report/facts.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "metrics/names.hpp"
#include "plan/enum_names.hpp"
#include "report/groups.hpp"
#include "support/cpu_list.hpp"
#include "support/units.hpp"

namespace diskproof {
namespace {

void add(NamedFacts& facts, std::string name, std::string value) {
  if (!value.empty()) facts.emplace_back(std::move(name), std::move(value));
}

template <typename Number>
void add_number(NamedFacts& facts, std::string name, Number value) {
  facts.emplace_back(std::move(name), fmt::to_string(value));
}

std::string mix_text(const OperationMix& mix) {
  std::string text;
  const auto part = [&](const char* name, double percent) {
    if (percent > 0) text += fmt::format("{}{} {}%", text.empty() ? "" : ", ", name, percent);
  };
  part("read", mix.read);
  part("write", mix.write);
  part("trim", mix.trim);
  return text;
}

std::string access_text(const PhasePlan& plan) {
  std::string text(name_of(plan.access));
  if (plan.access == Access::zipf || plan.access == Access::pareto) text += fmt::format(" {}", plan.skew);
  for (const HotZone& zone : plan.hot_zones) text += fmt::format(" {}%: {}%", zone.blocks, zone.draws);
  return text;
}

std::string blocks_text(const PhasePlan& plan) {
  if (plan.block_sizes.empty()) return fmt::to_string(plan.block_size);
  std::string text;
  for (const BlockShare& block : plan.block_sizes) {
    text += fmt::format("{}{} {}%", text.empty() ? "" : ", ", block.size, block.percent);
  }
  return text;
}

void add_group(NamedFacts& facts, const PhasePlan& plan) {
  std::string names;
  for (const std::string& member : plan.members) names += (names.empty() ? "" : ", ") + member;
  add(facts, plan.parallel ? "parallel" : "rounds", names);
  if (!plan.parallel) add_number(facts, "rounds.count", plan.repeat.count);
}

void add_verify(NamedFacts& facts, const VerifyPlan& verify) {
  add(facts, "verify.of", verify.of);
  add(facts, "verify.manifest", verify.manifest);
  if (verify.during > 0) add(facts, "verify.during", fmt::format("{}%", verify.during));
}

void add_planned(NamedFacts& facts, const PhasePlan& plan) {
  if (plan.kind == PhaseKind::group) return add_group(facts, plan);
  add_verify(facts, plan.verify);
  add(facts, "group", plan.group);
  add(facts, "engine.version", plan.engine.version);
  for (const auto& [key, value] : plan.engine.options) add(facts, "engine." + key, value);
  add(facts, "access", access_text(plan));
  add(facts, "operations", mix_text(plan.operations));
  add(facts, "block_size", blocks_text(plan));
  add_number(facts, "queue_depth", plan.queue_depth);
  add_number(facts, "threads", plan.threads);
  add(facts, "batch", plan.batch == 0 ? "auto" : fmt::to_string(plan.batch));
  add(facts, "cpus", cpu_list_text(plan.cpus));
  if (plan.rate > 0) add(facts, "rate", fmt::format("{}", plan.rate));
  add(facts, "direct", plan.direct ? "true" : "false");
  const bool placed = !plan.targets.empty();  // else the run ended before anything of the machine was decided
  if (placed) add_number(facts, "region", plan.region_size);
  if (plan.pause > 0) add_number(facts, "pause", plan.pause);
  add_number(facts, "warmup", plan.warmup);
  add_number(facts, std::string(name_of(plan.stop.kind)), plan.stop.value);
  if (placed) add_number(facts, "seed", plan.seed);
  if (plan.repeat.count <= 1) return;
  add_number(facts, "repeat", plan.repeat.count);
  add_number(facts, "repeat.discard", plan.repeat.discard);
  add(facts, "repeat.score", std::string(name_of(plan.repeat.score)));
}

}  // namespace

const PhasePlan* find_planned(const RunReport& report, const std::string& phase) {
  const auto found = std::ranges::find(report.plan.phases, phase, &PhasePlan::name);
  return found == report.plan.phases.end() ? nullptr : &*found;
}

NamedFacts run_facts(const RunReport& report) {
  NamedFacts facts;
  add(facts, "diskproof.version", report.tool_version);
  add(facts, "job", report.plan.job_name);
  add(facts, "job.file", report.plan.job_file);
  add(facts, "run_id", report.plan.run_id);
  if (report.plan.smoke) add(facts, "smoke", "true");
  add(facts, "outcome", std::string(to_string(report.outcome)));
  add_number(facts, "exit_code", report.exit_code);
  add(facts, "host.os", report.host.os);
  add(facts, "host.kernel", report.host.kernel);
  add(facts, "host.cpu", report.host.cpu_model);
  if (report.host.cpus > 0) add_number(facts, "host.cpus", report.host.cpus);
  if (report.host.memory > 0) add_number(facts, "host.memory", report.host.memory);
  for (const auto& [key, value] : report.plan.labels) add(facts, "label." + key, value);
  return facts;
}

NamedFacts phase_facts(const RunReport& report, const PhaseReport& phase) {
  NamedFacts facts;
  add(facts, "kind", phase.kind);
  add(facts, "disk", phase.disk);
  const auto disk = std::ranges::find(report.disks, phase.disk, &DiskFacts::name);
  if (disk != report.disks.end()) {
    add(facts, "disk.kind", disk->kind);
    add(facts, "disk.path", disk->path);
    add(facts, "disk.filesystem", disk->filesystem);
    add(facts, "disk.mount_options", disk->mount_options);
    if (disk->network) {
      add(facts, "disk.server", disk->network->server);
      add(facts, "disk.protocol", disk->network->kind + " " + disk->network->version);
    }
  }
  add(facts, "engine", phase.engine);
  const PhasePlan* planned = find_planned(report, phase.name);
  const bool of_group = planned != nullptr && (planned->kind == PhaseKind::group || !planned->group.empty());
  if (of_group) add(facts, "window", window_text(phase));
  if (phase.common) add(facts, "common.window", window_text(*phase.common));
  if (const PhasePlan* plan = find_planned(report, phase.name)) add_planned(facts, *plan);
  return facts;
}

std::string plain_number(double value) {
  constexpr double kExact = 9007199254740992.0;  // 2^53: whole numbers below it need no exponent
  if (std::abs(value) < kExact && value == std::floor(value)) return fmt::format("{:.0f}", value);
  return fmt::format("{}", value);
}

std::string metric_text(const std::string& metric, double value) {
  const auto info = find_metric(metric);
  return info ? format_metric(value, info->row->unit) : plain_number(value);
}

std::vector<std::string> threshold_facts(const ThresholdResult& result) {
  std::vector<std::string> lines;
  lines.push_back("check: " + result.check);
  const auto number = [&](const char* name, const std::optional<double>& value) {
    if (!value || !std::isfinite(*value)) return;
    const std::string plain = plain_number(*value);
    const std::string shown = metric_text(result.metric, *value);
    lines.push_back(plain == shown ? fmt::format("{}: {}", name, plain)
                                   : fmt::format("{}: {} ({})", name, shown, plain));
  };
  if (!result.metric.empty()) lines.push_back("metric: " + result.metric);
  number("observed", result.observed);
  number("bound", result.bound);
  if (result.limit_metric) {
    const std::string group = result.limit_group.empty() ? "" : " of " + result.limit_group;
    lines.push_back("limit: " + *result.limit_metric + group);
  }
  return lines;
}

std::string describe(const IoErrorExample& example) {
  constexpr std::string_view kNames[kDirections] = {"read", "write", "trim", "sync"};
  return fmt::format("{} of {} bytes at offset {}: {}", kNames[static_cast<std::size_t>(example.direction)],
                     example.length, example.offset, example.text);
}

std::vector<std::string> io_error_lines(const PhaseReport& phase) {
  std::vector<std::string> lines;
  for (const IoErrorExample& example : phase.io_errors) lines.push_back(describe(example));
  std::uint64_t errors = 0;
  if (phase.data) {
    for (const DirectionTotals& direction : phase.data->directions) errors += direction.errors;
  }
  if (!lines.empty() && errors > lines.size())
    lines.push_back(fmt::format("{} more, of which only the number is known: a thread tells its first ones",
                                errors - lines.size()));
  return lines;
}

std::string describe(const StuckIo& stuck) {
  const auto age = Nanoseconds(static_cast<std::int64_t>(std::min<std::uint64_t>(stuck.age, INT64_MAX)));
  return fmt::format("thread {}: an I/O at offset {} (tag {}) had not completed after {}", stuck.worker, stuck.offset,
                     stuck.tag, format_duration(age));
}

}  // namespace diskproof
