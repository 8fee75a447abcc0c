// Jobs and machines that do not exist, for tests of planning and what follows it.
#pragma once

#include <map>
#include <string>

#include "plan/machine_view.hpp"
#include "plan/planner.hpp"
#include "support/error.hpp"
#include "support/path_text.hpp"

namespace diskproof {

inline EngineInfo sample_engine(const std::string& name, std::uint64_t capabilities, std::uint64_t max_depth = 0) {
  EngineInfo info;
  info.name = name;
  info.version = "1.0";
  info.path = "/engines/diskproof_engine_" + name + ".so";
  info.capabilities = capabilities;
  info.operations = 1u << DP_OP_READ | 1u << DP_OP_WRITE | 1u << DP_OP_FSYNC;
  info.max_depth = max_depth;
  info.available = true;
  return info;
}

// Engines by name; whatever else is asked for is not there.
struct SampleMachine {
  std::map<std::string, EngineInfo> engines{{"aio", sample_engine("aio", DP_CAP_FILES, 1024)},
                                            {"sync", sample_engine("sync", DP_CAP_FILES | DP_CAP_SYNC, 1)},
                                            {"null", sample_engine("null", DP_CAP_NO_TARGET)},
                                            {"nfs", sample_engine("nfs", DP_CAP_URLS | DP_CAP_NAMES, 1024)}};
  std::function<void(const EngineInfo&, const EngineTrial&)> try_engine = [](const EngineInfo&, const EngineTrial&) {};
  std::uint64_t memory = std::uint64_t{8} << 30;
  std::vector<std::uint32_t> cpus{0, 1, 2, 3};
  std::uint64_t whole_size = std::uint64_t{1} << 30;
  std::map<std::string, ManifestFacts> manifests{};  // by path
  UrlFacts url{};                                    // of every one

  [[nodiscard]] MachineView view() const {
    return {.engine_info =
                [this](const std::string& name) {
                  const auto found = engines.find(name);
                  if (found == engines.end()) throw Error(ErrorKind::unavailable, "engine " + name + " is not there");
                  return found->second;
                },
            .try_engine = try_engine,
            .available_memory =
                [this] {
                  return AvailableMemory{memory, "a sample's memory"};
                },
            .allowed_cpus = [this] { return cpus; },
            .whole_size = [this](const DiskPlan&) { return whole_size; },
            .manifest =
                [this](const std::string& path) {
                  const auto found = manifests.find(path);
                  if (found == manifests.end()) throw Error(ErrorKind::unavailable, path + " is not there");
                  return found->second;
                },
            .url_facts = [this](const EnginePlan&, const std::string&) { return url; }};
  }
};

// A path as plans have it on this system.
inline std::string native(const char* path) { return text_of(path_from(path).make_preferred()); }

inline PlanRequest sample_request() {
  return {.out_dir = "/out", .working_dir = "/work-here", .run_id = "run-1", .fresh_seed = [] { return 4711; }};
}

inline Disk sample_disk(DiskKind kind) {
  Disk disk;
  disk.name = "data";
  disk.kind = kind;
  disk.path = kind == DiskKind::directory ? "/mnt/d" : "/mnt/d/file.dat";
  if (kind == DiskKind::virtual_disk) disk.path.clear(), disk.capacity = std::uint64_t{1} << 40;
  return disk;
}

inline Phase sample_phase(const std::string& name, const std::string& path = "phases[0]") {
  Phase phase;
  phase.path = path;
  phase.name = name;
  phase.disk = "data";
  phase.size = Extent{.bytes = std::uint64_t{64} << 20, .percent = {}};
  phase.engines = {{"aio", {}}};
  phase.queue_depth = 4;
  phase.stop = {.kind = StopRule::Kind::duration, .value = 30'000'000'000};
  phase.warmup = std::chrono::seconds(2);
  return phase;
}

inline Job sample_job(DiskKind kind = DiskKind::file) {
  Job job;
  job.file = "sample.yaml";
  job.name = "sample";
  job.disks = {sample_disk(kind)};
  job.phases = {sample_phase("read")};
  if (kind == DiskKind::virtual_disk) {
    job.phases[0].size.reset();
    job.phases[0].engines = {{"null", {}}};
  }
  return job;
}

}  // namespace diskproof
