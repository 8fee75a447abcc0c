// What a check found, as JSON. Private to metrics/*_json.cpp.
#pragma once

#include <nlohmann/json.hpp>

#include "integrity/verify_totals.hpp"
#include "metrics/json_reader.hpp"

namespace diskproof {

nlohmann::ordered_json verify_to_json(const VerifyTotals& verify);

// Throws Error{failed} on anything malformed.
VerifyTotals read_verify(const JsonReader& reader);

}  // namespace diskproof
