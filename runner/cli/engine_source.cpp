// Catalog and probe together.
#include "cli/engine_source.hpp"

#include "cli/url_source.hpp"
#include "support/path_text.hpp"

namespace diskproof {
namespace {

std::vector<std::filesystem::path> as_paths(const std::vector<std::string>& texts) {
  std::vector<std::filesystem::path> paths;
  for (const std::string& text : texts) paths.push_back(path_from(text));
  return paths;
}

}  // namespace

EngineSource::EngineSource(const Places& places, const std::vector<std::string>& engine_paths, SpareChild* spare)
    : catalog_(as_paths(engine_paths), places.engines),
      child_{.executable = text_of(places.executable), .state_dir = "", .clock = places.clock, .spare = spare} {}

void EngineSource::prepare_next() const noexcept {
  if (child_.spare != nullptr) child_.spare->prepare();
}

const EngineInfo& EngineSource::info(const std::string& name) {
  const auto known = known_.find(name);
  if (known != known_.end()) return known->second;
  EngineInfo info = probe_engine(text_of(catalog_.find(name)), child_);
  prepare_next();
  return known_.emplace(name, std::move(info)).first->second;
}

void EngineSource::try_engine(const EngineInfo& engine, const EngineTrial& trial) {
  const auto [known, fresh] = tried_.try_emplace({engine.path, trial});
  if (fresh) {
    try {
      diskproof::try_engine(engine.path, trial, child_);
    } catch (const Error& error) {
      known->second = error;
    }
    prepare_next();
  }
  if (known->second) throw *known->second;
}

UrlFacts EngineSource::url_facts(const EnginePlan& engine, const std::string& url) const {
  const auto session = url_opener(child_.executable)({engine.path, engine.options, url});
  const UrlAnswer found = session->ask({.kind = UrlOrder::Kind::look_at});
  if (!found.yes) throw Error(ErrorKind::unavailable, "there is no " + url + "; create the folder first");
  return {.folder = found.folder, .size = found.size};
}

}  // namespace diskproof
