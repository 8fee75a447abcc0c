// Every field of the plan under its JSON name, once: plan_json writes and reads through the same description, so that
// neither can forget a field. `archive(name, field)` is called for each in output order.
#pragma once

#include <concepts>
#include <type_traits>

#include "plan/plan.hpp"

namespace diskproof {

// Value is T while reading and const T while writing.
template <class Value, class T>
concept MaybeConst = std::same_as<std::remove_const_t<Value>, T>;

void describe(auto& archive, MaybeConst<LimitGroup> auto& group) {
  archive("name", group.name);
  archive("values", group.values);
}

void describe(auto& archive, MaybeConst<PassedOver> auto& engine) {
  archive("name", engine.name);
  archive("reason", engine.reason);
}

void describe(auto& archive, MaybeConst<EnginePlan> auto& engine) {
  archive("name", engine.name);
  archive("version", engine.version);
  archive("path", engine.path);
  archive("options", engine.options);
  archive("passed_over", engine.passed_over);
  archive("sync", engine.sync);
  archive("no_target", engine.no_target);
  archive("wait_granularity", engine.wait_granularity);
}

void describe(auto& archive, MaybeConst<Share> auto& share) {
  archive("source", share.source);
  archive("type", share.type);
  archive("options", share.options);
}

void describe(auto& archive, MaybeConst<DeviceIdentity> auto& identity) {
  archive("serial", identity.serial);
  archive("wwn", identity.wwn);
  archive("model", identity.model);
  archive("firmware", identity.firmware);
  archive("size", identity.size);
  archive("min_size", identity.min_size);
  archive("rotational", identity.rotational);
}

void describe(auto& archive, MaybeConst<Filesystem> auto& filesystem) {
  archive("type", filesystem.type);
  archive("mkfs_args", filesystem.mkfs_args);
  archive("mount_options", filesystem.mount_options);
  archive("label", filesystem.label);
}

void describe(auto& archive, MaybeConst<PrepareStep> auto& step) {
  archive("step", step.kind);
  archive("value", step.value);
}

void describe(auto& archive, MaybeConst<DiskPlan> auto& disk) {
  archive("name", disk.name);
  archive("kind", disk.kind);
  archive("path", disk.path);
  archive("mount_point", disk.mount_point);
  archive("work_path", disk.work_path);
  archive("share", disk.share);
  archive("identity", disk.identity);
  archive("destroy", disk.destroy);
  archive("filesystem", disk.filesystem);
  archive("prepare", disk.prepare);
  archive("throttle", disk.throttle);
  archive("capacity", disk.capacity);
  archive("keep", disk.keep);
  archive("fill", disk.fill);
  archive("overwrite", disk.overwrite);
  archive("limits", disk.limits);
  archive("files", disk.files);
  archive("file_size", disk.file_size);
}

void describe(auto& archive, MaybeConst<TargetPlan> auto& target) {
  archive("spec", target.spec);
  archive("device", target.device);
  archive("size", target.size);
}

void describe(auto& archive, MaybeConst<OperationMix> auto& mix) {
  archive("read", mix.read);
  archive("write", mix.write);
  archive("trim", mix.trim);
}

void describe(auto& archive, MaybeConst<HotZone> auto& zone) {
  archive("blocks", zone.blocks);
  archive("draws", zone.draws);
}

void describe(auto& archive, MaybeConst<BlockShare> auto& share) {
  archive("size", share.size);
  archive("percent", share.percent);
}

void describe(auto& archive, MaybeConst<FlushRule> auto& rule) {
  archive("every", rule.every);
  archive("end", rule.end);
  archive("data_only", rule.data_only);
}

void describe(auto& archive, MaybeConst<DataShape> auto& shape) {
  archive("compressible", shape.compressible);
  archive("dedupe", shape.dedupe);
}

void describe(auto& archive, MaybeConst<StopRule> auto& stop) {
  archive("kind", stop.kind);
  archive("value", stop.value);
}

void describe(auto& archive, MaybeConst<Threshold> auto& threshold) {
  archive("check", threshold.check);
  archive("warn", threshold.warn);
}

void describe(auto& archive, MaybeConst<RepeatPlan> auto& repeat) {
  archive("count", repeat.count);
  archive("interval", repeat.interval);
  archive("discard", repeat.discard);
  archive("score", repeat.score);
  archive("from_same_run", repeat.from_same_run);
}

void describe(auto& archive, MaybeConst<VerifyPlan> auto& verify) {
  archive("write", verify.write);
  archive("during", verify.during);
  archive("of", verify.of);
  archive("manifest", verify.manifest);
  archive("map", verify.map);
  archive("granule", verify.granule);
}

void describe(auto& archive, MaybeConst<PhasePlan> auto& phase) {
  archive("name", phase.name);
  archive("kind", phase.kind);
  archive("group", phase.group);
  archive("members", phase.members);
  archive("parallel", phase.parallel);
  archive("disk", phase.disk);
  archive("engine", phase.engine);
  archive("targets", phase.targets);
  archive("access", phase.access);
  archive("skew", phase.skew);
  archive("hot_zones", phase.hot_zones);
  archive("shared", phase.shared);
  archive("operations", phase.operations);
  archive("layout", phase.layout);
  archive("region_from", phase.region_from);
  archive("region_size", phase.region_size);
  archive("block_size", phase.block_size);
  archive("block_sizes", phase.block_sizes);
  archive("queue_depth", phase.queue_depth);
  archive("threads", phase.threads);
  archive("batch", phase.batch);
  archive("cpus", phase.cpus);
  archive("rate", phase.rate);
  archive("arrival", phase.arrival);
  archive("think_time", phase.think_time);
  archive("direct", phase.direct);
  archive("sync", phase.sync);
  archive("fsync", phase.fsync);
  archive("data", phase.data);
  archive("seed", phase.seed);
  archive("pause", phase.pause);
  archive("warmup", phase.warmup);
  archive("interval_grid", phase.interval_grid);
  archive("stop", phase.stop);
  archive("timeout", phase.timeout);
  archive("io_timeout", phase.io_timeout);
  archive("max_errors", phase.max_errors);
  archive("repeat", phase.repeat);
  archive("verify", phase.verify);
  archive("limits", phase.limits);
  archive("thresholds", phase.thresholds);
  archive("abort", phase.aborts);
  archive("latency_bounds", phase.latency_bounds);
  archive("findings", phase.findings);
  archive("needs", phase.needs);
  archive("requires", phase.required);
  archive("optional", phase.optional);
  archive("skip", phase.skip);
}

void describe(auto& archive, MaybeConst<Plan> auto& plan) {
  archive("job_file", plan.job_file);
  archive("job_name", plan.job_name);
  archive("description", plan.description);
  archive("labels", plan.labels);
  archive("run_id", plan.run_id);
  archive("out_dir", plan.out_dir);
  archive("tool_version", plan.tool_version);
  archive("smoke", plan.smoke);
  archive("timeout", plan.timeout);
  archive("max_written", plan.max_written);
  archive("memory_limit", plan.memory_limit);
  archive("disks", plan.disks);
  archive("phases", plan.phases);
}

}  // namespace diskproof
