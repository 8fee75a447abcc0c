// Engines by name, each probed once, and tried once with what a phase gives it, in a child of its own.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/places.hpp"
#include "engine/catalog.hpp"
#include "exec/engine_probe.hpp"
#include "exec/spare_child.hpp"
#include "plan/machine_view.hpp"
#include "support/error.hpp"

namespace diskproof {

class EngineSource {
 public:
  // `spare`: used by each probe and trial, and prepared again for what comes after it; may be null.
  EngineSource(const Places& places, const std::vector<std::string>& engine_paths, SpareChild* spare = nullptr);

  // Throws Error when there is no such engine, or it cannot be loaded.
  const EngineInfo& info(const std::string& name);

  // Throws Error{bad_job} where its options do not go together, else when it cannot do that on this machine.
  void try_engine(const EngineInfo& engine, const EngineTrial& trial);

  // What a URL leads to, asked through the engine. Throws Error.
  [[nodiscard]] UrlFacts url_facts(const EnginePlan& engine, const std::string& url) const;

  [[nodiscard]] const Catalog& catalog() const noexcept { return catalog_; }

 private:
  void prepare_next() const noexcept;

  Catalog catalog_;
  ChildSettings child_;
  std::map<std::string, EngineInfo> known_;
  std::map<std::pair<std::string, EngineTrial>, std::optional<Error>> tried_;  // by the library's path
};

}  // namespace diskproof
