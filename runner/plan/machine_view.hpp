// What the planner asks of this machine. Functions, so that tests plan for machines that do not exist.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/engine_info.hpp"
#include "engine/engine_trial.hpp"
#include "integrity/manifest_facts.hpp"
#include "plan/plan.hpp"

namespace diskproof {

struct AvailableMemory {
  std::uint64_t bytes = 0;
  std::string what;  // for messages: "this machine's available memory"
};

// What a URL leads to.
struct UrlFacts {
  bool folder = true;
  std::uint64_t size = 0;  // bytes of a file
};

struct MachineView {
  // The engine of that name, found and probed; throws Error when there is none that may be loaded.
  std::function<EngineInfo(const std::string& name)> engine_info;
  // Returns when the engine takes all of it; Error{bad_job}: its options do not go together; else not on this machine.
  std::function<void(const EngineInfo& engine, const EngineTrial& trial)> try_engine;
  std::function<AvailableMemory()> available_memory;
  std::function<std::vector<std::uint32_t>()> allowed_cpus;  // that threads may be kept on
  // Bytes of each file of the disk at `size: 100%`; throws Error where that cannot be said. Only files and paths of the
  // plan are set.
  std::function<std::uint64_t(const DiskPlan& disk)> whole_size;
  // Of an earlier run; throws Error when it is not there, or not whole.
  std::function<ManifestFacts(const std::string& path)> manifest;
  // The run whose manifest is there; empty: none is.
  std::function<std::string(const std::string& path)> manifest_run = {};
  // Asks the server; throws Error when it cannot be reached or has no such name.
  std::function<UrlFacts(const EnginePlan& engine, const std::string& url)> url_facts = {};
};

}  // namespace diskproof
