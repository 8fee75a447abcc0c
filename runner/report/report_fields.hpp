// The plain fields of the report model under their JSON names, once: writer and reader of result.json go through the
// same description, so that neither can forget a field. `archive(name, field)` is called in output order;
// `archive.known` leaves out a number that is 0 because nobody knows it, `archive.flag` what is false, `archive.list`
// what is empty.
#pragma once

#include <array>
#include <concepts>
#include <string_view>
#include <type_traits>
#include <utility>

#include "report/run_report.hpp"

namespace diskproof::result {

// Value is T while reading and const T while writing.
template <class Value, class T>
concept MaybeConst = std::same_as<std::remove_const_t<Value>, T>;

constexpr std::array<std::pair<Outcome, std::string_view>, 5> names_of(Outcome) {
  return {{{Outcome::pass, "pass"},
           {Outcome::fail, "fail"},
           {Outcome::inconclusive, "inconclusive"},
           {Outcome::error, "error"},
           {Outcome::skipped, "skipped"}}};
}
constexpr std::array<std::pair<FindingLevel, std::string_view>, 3> names_of(FindingLevel) {
  return {{{FindingLevel::none, "none"}, {FindingLevel::warn, "warn"}, {FindingLevel::error, "error"}}};
}
constexpr std::array<std::pair<Direction, std::string_view>, kDirections> names_of(Direction) {
  return {
      {{Direction::read, "read"}, {Direction::write, "write"}, {Direction::trim, "trim"}, {Direction::sync, "sync"}}};
}

void describe(auto& archive, MaybeConst<HostFacts> auto& host) {
  archive("hostname", host.hostname);
  archive("os", host.os);
  archive("kernel", host.kernel);
  archive("cpu_model", host.cpu_model);
  archive.known("cpus", host.cpus);
  archive.known("memory", host.memory);
}

void describe(auto& archive, MaybeConst<DeviceFacts> auto& device) {
  archive("path", device.path);
  archive("links", device.links);
  archive("serial", device.serial);
  archive("wwn", device.wwn);
  archive("model", device.model);
  archive("firmware", device.firmware);
  archive("size", device.size);
  archive("logical_sector", device.logical_sector);
  archive("physical_sector", device.physical_sector);
  archive.flag("rotational", device.rotational);
  archive("scheduler", device.scheduler);
  archive("read_ahead", device.read_ahead);
  archive("write_cache", device.write_cache);
  archive("backing_file", device.backing_file);
  archive.text("bus", device.bus);
}

void describe(auto& archive, MaybeConst<NetworkMount> auto& network) {
  archive("kind", network.kind);
  archive("server", network.server);
  archive("version", network.version);
  archive.known("read_size", network.read_size);
  archive.known("write_size", network.write_size);
  archive.flag("user_space", network.user_space);
}

void describe(auto& archive, MaybeConst<DiskFacts> auto& disk) {
  archive("name", disk.name);
  archive("kind", disk.kind);
  archive("path", disk.path);
  archive("filesystem", disk.filesystem);
  archive("mount_point", disk.mount_point);
  archive("mount_source", disk.mount_source);
  archive("mount_options", disk.mount_options);
  archive.known("size", disk.size);
  archive("device", disk.device);
  archive("network", disk.network);
}

void describe(auto& archive, MaybeConst<StepReport> auto& step) {
  archive("name", step.name);
  archive("disk", step.disk);
  archive("outcome", step.outcome);
  archive("reason", step.reason);
  archive("seconds", step.seconds);
  archive("output", step.output);
}

void describe(auto& archive, MaybeConst<Finding> auto& finding) {
  archive("name", finding.name);
  archive("level", finding.level);
  archive("text", finding.text);
  archive("advice", finding.advice);
}

void describe(auto& archive, MaybeConst<ThresholdResult> auto& result) {
  archive("check", result.check);
  archive("metric", result.metric);
  archive("observed", result.observed);
  archive("bound", result.bound);
  archive("outcome", result.outcome);
  archive.severity("severity", result.warn);
  archive("reason", result.reason);
  archive("limit_group", result.limit_group);
  archive("limit_metric", result.limit_metric);
  archive.list("runs", result.runs);
}

void describe(auto& archive, MaybeConst<IoErrorExample> auto& example) {
  archive("direction", example.direction);
  archive("offset", example.offset);
  archive("length", example.length);
  archive("code", example.code);
  archive("os_code", example.os_code);
  archive("text", example.text);
}

void describe(auto& archive, MaybeConst<StuckIo> auto& stuck) {
  archive("worker", stuck.worker);
  archive("tag", stuck.tag);
  archive("offset", stuck.offset);
  archive("age", stuck.age);
}

void describe(auto& archive, MaybeConst<RunRecord> auto& run) {
  archive("seed", run.seed);
  archive("started_at", run.started_at);
  archive("seconds", run.seconds);
  archive.flag("discarded", run.discarded);
  archive("metrics", run.metrics);
  archive("intervals", run.intervals);
}

void describe(auto& archive, MaybeConst<CommonWindow> auto& common) {
  archive("begin", common.begin);
  archive("end", common.end);
  archive("metrics", common.metrics);
  archive("intervals", common.intervals);
}

void describe(auto& archive, MaybeConst<PhaseReport> auto& phase) {
  archive("name", phase.name);
  archive("kind", phase.kind);
  archive("outcome", phase.outcome);
  archive("reason", phase.reason);
  archive("disk", phase.disk);
  archive("engine", phase.engine);
  archive.flag("interrupted", phase.interrupted);
  archive("started_at", phase.started_at);
  archive("seconds", phase.seconds);
  archive("runs", phase.runs);
  archive("scored", phase.scored);
  archive("metrics", phase.metrics);
  archive("common", phase.common);
  archive.data(phase.data);  // histograms, warmup_intervals, intervals, measured; all absent when nothing was measured
  archive("findings", phase.findings);
  archive("thresholds", phase.thresholds);
  archive("io_errors", phase.io_errors);
  archive("stuck", phase.stuck);
  archive("log_tail", phase.log_tail);
}

void describe(auto& archive, MaybeConst<RunReport> auto& report) {
  archive.header(report);  // schema_version, tool, job, labels, plan
  archive("outcome", report.outcome);
  archive("exit_code", report.exit_code);
  archive("reason", report.reason);
  archive("started_at", report.started_at);
  archive("seconds", report.seconds);
  archive("host", report.host);
  archive("disks", report.disks);
  archive("preparation", report.preparation);
  archive("findings", report.findings);
  archive("phases", report.phases);
}

inline constexpr int kSchemaVersion = 1;

}  // namespace diskproof::result
