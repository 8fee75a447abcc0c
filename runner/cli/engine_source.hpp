// Engines by name, each probed once in a child of its own.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/places.hpp"
#include "engine/catalog.hpp"
#include "exec/phase_runner.hpp"

namespace diskproof {

class EngineSource {
 public:
  EngineSource(const Places& places, const std::vector<std::string>& engine_paths);

  // Throws Error when there is no such engine, or it cannot be loaded.
  const EngineInfo& info(const std::string& name);

  [[nodiscard]] const Catalog& catalog() const noexcept { return catalog_; }

 private:
  Catalog catalog_;
  ChildSettings child_;
  std::map<std::string, EngineInfo> known_;
};

}  // namespace diskproof
