// A plan of one phase on the simulated disk.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "plan/plan.hpp"

namespace diskproof::testing {

inline constexpr std::uint64_t kMillisecond = 1'000'000;  // ns
// A limit that a child must meet by starting; a sanitized one starts many times more slowly.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr std::uint64_t kShortLimit = 2'500 * kMillisecond;
inline constexpr const char* kShortLimitText = "2.5 s";
#else
inline constexpr std::uint64_t kShortLimit = 500 * kMillisecond;
inline constexpr const char* kShortLimitText = "0.5 s";
#endif

inline std::string engine_path(const std::string& name) {
  return (std::filesystem::path(DISKPROOF_ENGINE_FOLDER) / ("diskproof_engine_" + name + DISKPROOF_ENGINE_SUFFIX))
      .string();
}

// One phase on the simulated disk: 1000 reads, at depth 4.
inline Plan sim_plan(const std::map<std::string, std::string>& options = {}) {
  Plan plan;
  DiskPlan disk;
  disk.name = "d";
  disk.kind = DiskKind::virtual_disk;
  plan.disks = {disk};
  PhasePlan phase;
  phase.name = "p";
  phase.disk = "d";
  phase.engine.name = "sim";
  phase.engine.path = engine_path("sim");
  phase.engine.options = options;
  phase.engine.no_target = true;
  phase.targets = {{"d", 1 << 24}};
  phase.region_size = 1 << 24;
  phase.queue_depth = 4;
  phase.seed = 1;
  phase.interval_grid = 100 * kMillisecond;
  phase.stop = {StopRule::Kind::operations, 1000};
  phase.timeout = 60'000 * kMillisecond;
  phase.io_timeout = 30'000 * kMillisecond;
  plan.phases = {phase};
  return plan;
}

}  // namespace diskproof::testing
