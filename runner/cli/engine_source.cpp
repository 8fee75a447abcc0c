// Catalog and probe together.
#include "cli/engine_source.hpp"

namespace diskproof {
namespace {

std::vector<std::filesystem::path> as_paths(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

}  // namespace

EngineSource::EngineSource(const Places& places, const std::vector<std::string>& engine_paths)
    : catalog_(as_paths(engine_paths), places.engines),
      child_{.executable = places.executable.string(), .state_dir = "", .clock = places.clock} {}

const EngineInfo& EngineSource::info(const std::string& name) {
  const auto known = known_.find(name);
  if (known != known_.end()) return known->second;
  EngineInfo info = probe_engine(catalog_.find(name).string(), child_);
  return known_.emplace(name, std::move(info)).first->second;
}

}  // namespace diskproof
