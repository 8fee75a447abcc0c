// What the parent knows of an engine: manifest and probe as a value, made in a child (the parent loads no plug-in) and
// carried as JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include <diskproof/engine_abi.h>

namespace diskproof {

class Library;

struct EngineOption {
  std::string name;
  std::string help;
  dp_option_type type = DP_OPTION_STRING;
  std::optional<std::string> default_value;  // canonical
  std::vector<std::string> choices;          // DP_OPTION_ENUM
  std::int64_t min = 0, max = 0;             // inclusive; both 0: no bound
  dp_option_scope scope = DP_SCOPE_ENGINE;
  bool secret = false;
};

struct EngineInfo {
  std::string name;
  std::string version;
  std::string summary;
  std::string path;                       // of the shared library
  std::uint64_t capabilities = 0;         // enum dp_capability
  std::uint64_t operations = 0;           // bits 1 << enum dp_op
  std::uint64_t wait_granularity_ns = 0;  // how far reap may overshoot
  std::uint64_t max_depth = 0;            // 0: no limit
  std::vector<EngineOption> options;
  bool available = false;
  std::string reason;  // why it is not available

  [[nodiscard]] bool can(dp_capability capability) const noexcept { return (capabilities & capability) != 0; }
  [[nodiscard]] bool supports(dp_op operation) const noexcept { return (operations >> operation & 1) != 0; }
};

// The option table as values. The table must have passed the handshake.
std::vector<EngineOption> option_values(const dp_manifest& manifest);

// Manifest and probe of a loaded engine. Runs the engine's code: only in a child.
EngineInfo describe(const Library& library);

// "size", "enum"…
std::string_view option_type_name(dp_option_type type) noexcept;

nlohmann::ordered_json engine_info_to_json(const EngineInfo& info);

// Throws Error{failed} that names what is missing or mistyped.
EngineInfo engine_info_from_json(const nlohmann::ordered_json& json);

}  // namespace diskproof
