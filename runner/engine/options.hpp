// Engine options as the job writes them, checked against the engine's option table and brought into the canonical form
// that the engine receives.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine_info.hpp"
#include "support/units.hpp"

namespace diskproof {

struct OptionFault {
  std::string key;
  std::string message;
  std::string hint;  // what to write instead; may be empty
};

struct ResolvedOptions {
  std::map<std::string, std::string> values;  // canonical, defaults filled in
  std::vector<OptionFault> faults;            // the job is good when empty
};

ResolvedOptions resolve_options(const EngineInfo& engine, const std::map<std::string, std::string>& given);

// One value as the job writes it ("4KiB", "5ms") to its canonical form ("4096", "5000000").
Parsed<std::string> canonical_value(const EngineOption& option, std::string_view text);

// The way back, in the largest unit that leaves it whole: "4KiB" for 4096, "5ms" for 5000000, "40MB/s" for 40000000.
std::string written_value(const EngineOption& option, std::string_view canonical);

// Why `text` is not a canonical value of the option; empty when it is.
std::string canonical_fault(const EngineOption& option, std::string_view text);

}  // namespace diskproof
