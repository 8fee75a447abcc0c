// Checks a tree against a schema: every fault with its place, key path, value, what is expected and what is near.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "job/diagnostic.hpp"
#include "job/job_schema.hpp"
#include "job/node.hpp"

namespace diskproof {

// What the validator understands; the others of a schema would be silently ignored, so a test allows only these.
// `pattern` and the annotations are for editors.
inline constexpr std::array<std::string_view, 26> kSchemaKeywords{
    "$schema",   "$ref",          "title",    "description", "definitions", "default",    "x-available",
    "x-hint",    "pattern",       "type",     "enum",        "const",       "properties", "additionalProperties",
    "required",  "items",         "minItems", "maxItems",    "minimum",     "maximum",    "minLength",
    "maxLength", "minProperties", "format",   "anyOf",       "allOf"};
inline constexpr std::array<std::string_view, 8> kSchemaFormats{"name",    "byte-size", "time-span",      "bandwidth",
                                                                "percent", "extent",    "share-of-limit", "cpu-range"};

// Adds what is wrong, at most about a hundred faults.
void validate(const Node& root, const Schema& schema, const std::string& file, Diagnostics& diagnostics);

}  // namespace diskproof
