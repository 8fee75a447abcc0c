// Manifest → value → JSON and back.
#include "engine/engine_info.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <string_view>

#include "engine/code.hpp"
#include "engine/library.hpp"
#include "support/error.hpp"

namespace diskproof {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> split_choices(std::string_view text) {
  std::vector<std::string> choices;
  for (;;) {
    const std::size_t bar = text.find('|');
    choices.emplace_back(text.substr(0, bar));
    if (bar == std::string_view::npos) return choices;
    text.remove_prefix(bar + 1);
  }
}

Json option_to_json(const EngineOption& option) {
  Json json{{"name", option.name},
            {"help", option.help},
            {"type", static_cast<int>(option.type)},
            {"default", nullptr},
            {"choices", option.choices},
            {"min", option.min},
            {"max", option.max},
            {"scope", static_cast<int>(option.scope)},
            {"secret", option.secret}};
  if (option.default_value) json["default"] = *option.default_value;
  return json;
}

template <class T>
T field(const Json& json, const char* name) {
  const auto found = json.is_object() ? json.find(name) : json.end();
  if (!json.is_object() || found == json.end())
    throw Error(ErrorKind::failed, fmt::format("engine description: {} is missing", name));
  try {
    return found->get<T>();
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorKind::failed, fmt::format("engine description: {} has the wrong type", name));
  }
}

template <class Enum>
Enum enum_field(const Json& json, const char* name, Enum last) {
  const auto value = field<std::int64_t>(json, name);
  if (value < 0 || value > static_cast<std::int64_t>(last))
    throw Error(ErrorKind::failed, fmt::format("engine description: {} is {}, out of range", name, value));
  return static_cast<Enum>(value);
}

EngineOption option_from_json(const Json& json) {
  EngineOption option;
  option.name = field<std::string>(json, "name");
  option.help = field<std::string>(json, "help");
  option.type = enum_field(json, "type", DP_OPTION_BANDWIDTH);
  if (field<Json>(json, "default").is_string()) option.default_value = field<std::string>(json, "default");
  option.choices = field<std::vector<std::string>>(json, "choices");
  option.min = field<std::int64_t>(json, "min");
  option.max = field<std::int64_t>(json, "max");
  option.scope = enum_field(json, "scope", DP_SCOPE_QUEUE);
  option.secret = field<bool>(json, "secret");
  return option;
}

}  // namespace

std::vector<EngineOption> option_values(const dp_manifest& manifest) {
  std::vector<EngineOption> options;
  for (std::uint64_t i = 0; i < manifest.option_count; ++i) {
    const dp_option& row = manifest.options[i];
    EngineOption option;
    option.name = row.name;
    option.help = row.help;
    option.type = static_cast<dp_option_type>(row.type);
    if (row.default_value != nullptr) option.default_value = row.default_value;
    if (row.choices != nullptr) option.choices = split_choices(row.choices);
    option.min = row.min;
    option.max = row.max;
    option.scope = static_cast<dp_option_scope>(row.scope);
    option.secret = (row.flags & DP_OPTION_SECRET) != 0;
    options.push_back(std::move(option));
  }
  return options;
}

EngineInfo describe(const Library& library) {
  const dp_manifest& manifest = library.manifest();
  EngineInfo info;
  info.name = manifest.name;
  info.version = manifest.version;
  info.summary = manifest.summary;
  info.path = library.path();
  info.capabilities = manifest.capabilities;
  info.operations = manifest.operations;
  info.wait_granularity_ns = manifest.wait_granularity_ns;
  info.max_depth = manifest.max_depth;
  info.options = option_values(manifest);
  dp_error error{};
  const std::int32_t status = library.api().probe(&error);
  info.available = status == 0;
  if (!info.available) info.reason = failure_text(status, error);
  return info;
}

std::string_view option_type_name(dp_option_type type) noexcept {
  switch (type) {
    case DP_OPTION_BOOL:
      return "boolean";
    case DP_OPTION_INTEGER:
      return "integer";
    case DP_OPTION_SIZE:
      return "size";
    case DP_OPTION_DURATION:
      return "duration";
    case DP_OPTION_NUMBER:
      return "number";
    case DP_OPTION_STRING:
      return "string";
    case DP_OPTION_ENUM:
      return "enum";
    case DP_OPTION_BANDWIDTH:
      return "bandwidth";
  }
  return "unknown";
}

Json engine_info_to_json(const EngineInfo& info) {
  Json options = Json::array();
  for (const EngineOption& option : info.options) options.push_back(option_to_json(option));
  return Json{{"name", info.name},
              {"version", info.version},
              {"summary", info.summary},
              {"path", info.path},
              {"capabilities", info.capabilities},
              {"operations", info.operations},
              {"wait_granularity_ns", info.wait_granularity_ns},
              {"max_depth", info.max_depth},
              {"options", std::move(options)},
              {"available", info.available},
              {"reason", info.reason}};
}

EngineInfo engine_info_from_json(const Json& json) {
  EngineInfo info;
  info.name = field<std::string>(json, "name");
  info.version = field<std::string>(json, "version");
  info.summary = field<std::string>(json, "summary");
  info.path = field<std::string>(json, "path");
  info.capabilities = field<std::uint64_t>(json, "capabilities");
  info.operations = field<std::uint64_t>(json, "operations");
  info.wait_granularity_ns = field<std::uint64_t>(json, "wait_granularity_ns");
  info.max_depth = field<std::uint64_t>(json, "max_depth");
  const auto options = field<Json>(json, "options");
  if (!options.is_array()) throw Error(ErrorKind::failed, "engine description: options has the wrong type");
  for (const Json& option : options) info.options.push_back(option_from_json(option));
  info.available = field<bool>(json, "available");
  info.reason = field<std::string>(json, "reason");
  return info;
}

}  // namespace diskproof
