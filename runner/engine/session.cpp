// Create and open, with the engine's errors turned into sentences.
#include "engine/session.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <utility>

#include "engine/code.hpp"
#include "engine/engine_info.hpp"
#include "support/error.hpp"

namespace diskproof {
namespace {

ErrorKind kind_of(std::int32_t status) {
  switch (-status) {
    case DP_EINVAL:
      return ErrorKind::bad_job;
    case DP_EACCES:
    case DP_ENOMEM:
    case DP_ENOTSUP:
      return ErrorKind::unavailable;
    default:
      return ErrorKind::failed;
  }
}

// `tried` reads "engine sync cannot …". Returns when the call succeeded with a handle.
void require(std::int32_t status, bool has_handle, const dp_error& error, const std::string& tried) {
  if (status == 0 && has_handle) return;
  const std::string why =
      status == 0 ? "it reported success but returned nothing: a fault of the engine" : failure_text(status, error);
  throw Error(kind_of(status), fmt::format("{}: {}", tried, why));
}

std::string names_of(const std::vector<TargetSpec>& targets) {
  if (targets.empty()) return "no target";
  if (targets.size() == 1) return targets.front().spec;
  return fmt::format("{} and {} more", targets.front().spec, targets.size() - 1);
}

}  // namespace

Engine::Engine(const Library& library, const std::map<std::string, std::string>& options) : library_(library) {
  const std::vector<EngineOption> table = option_values(library.manifest());
  for (const auto& [key, value] : options) {
    const auto row =
        std::find_if(table.begin(), table.end(), [&](const EngineOption& option) { return option.name == key; });
    if (row == table.end())
      throw Error(ErrorKind::failed, fmt::format("engine {} has no option {}", library.name(), key));
    auto& scope = row->scope == DP_SCOPE_ENGINE   ? engine_options_
                  : row->scope == DP_SCOPE_TARGET ? target_options_
                                                  : queue_options_;
    scope.push_back({key, value});
  }
  dp_error error{};
  const std::vector<dp_key_value> given = as_table(engine_options_);
  const std::int32_t status =
      library_.api().create(given.data(), static_cast<std::uint32_t>(given.size()), &engine_, &error);
  require(status, engine_ != nullptr, error, fmt::format("engine {} cannot be created", library.name()));
}

Engine::~Engine() { library_.api().destroy(engine_); }

std::vector<dp_key_value> Engine::as_table(const std::vector<Given>& options) {
  std::vector<dp_key_value> table;
  table.reserve(options.size());
  for (const Given& option : options) table.push_back({option.key.c_str(), option.value.c_str()});
  return table;
}

Queue::Queue(Engine& engine, QueueSpec spec)
    : engine_(engine),
      spec_(std::move(spec)),
      target_options_(Engine::as_table(engine.target_options_)),
      queue_options_(Engine::as_table(engine.queue_options_)) {
  for (const TargetSpec& target : spec_.targets)
    targets_.push_back({target.size, target.spec.c_str(), target.native_handle, target.flags,
                        static_cast<std::uint32_t>(target_options_.size()), target_options_.data()});
  dp_queue_params params{};
  params.size = sizeof(params);
  params.depth = spec_.depth;
  params.max_length = spec_.max_length;
  params.targets = targets_.data();
  params.regions = spec_.regions.data();
  params.options = queue_options_.data();
  params.target_count = static_cast<std::uint32_t>(targets_.size());
  params.region_count = static_cast<std::uint32_t>(spec_.regions.size());
  params.option_count = static_cast<std::uint32_t>(queue_options_.size());
  params.queue_index = spec_.queue_index;
  dp_error error{};
  const std::int32_t status = engine.library().api().queue_open(engine.engine_, &params, &queue_, &error);
  require(status, queue_ != nullptr, error,
          fmt::format("engine {} cannot open a queue of depth {} on {}", engine.library().name(), spec_.depth,
                      names_of(spec_.targets)));
}

Queue::~Queue() {
  if (!abandoned_) engine_.library().api().queue_close(queue_);
}

dp_target_info Queue::target_info(std::uint32_t target) const {
  dp_target_info info{};
  dp_error error{};
  const std::int32_t status = engine_.library().api().target_info(queue_, target, &info, &error);
  require(status, true, error,
          fmt::format("engine {} cannot describe {}", engine_.library().name(), spec_.targets.at(target).spec));
  return info;
}

}  // namespace diskproof
