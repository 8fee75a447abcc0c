// What the planner asks of this machine. Functions, so that tests plan for machines that do not exist.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "engine/engine_info.hpp"

namespace diskproof {

struct MachineView {
  // The engine of that name, found and probed; throws Error when there is none that may be loaded.
  std::function<EngineInfo(const std::string& name)> engine_info;
  std::function<std::uint64_t()> available_memory;  // bytes
};

}  // namespace diskproof
