// JSON values as text that is always valid: broken UTF-8 repaired, one line per value and per list of numbers.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace diskproof {

// Indented; a list of plain values stays on one line. With a line end.
std::string pretty_json(const nlohmann::ordered_json& json);

// One line, without line end.
std::string compact_json(const nlohmann::ordered_json& json);

}  // namespace diskproof
