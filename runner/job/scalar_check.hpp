// One scalar against one schema: type, const, enum, bounds, length and our formats, with texts for people.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "job/node.hpp"

namespace diskproof {

struct ScalarFault {
  std::string message;
  std::string hint;
};

// 'text' shortened for a message, or what kind of value it is.
std::string quoted_value(const Node& node);

// The value's kind is one that the schema's `type` (or enum, const) allows.
bool has_type(const Node& node, const Node& schema);

// Why the kind is wrong. `expected` describes what the schema wants.
ScalarFault type_fault(const Node& node, const Node& schema, const std::string& expected);

// What is wrong with a scalar of the right type.
std::optional<ScalarFault> scalar_fault(const Node& scalar, const Node& schema);

// Why a text is no name of ours: letters, digits, space and _ . : = / - ; empty when it is one.
std::string name_fault(std::string_view text);

std::optional<double> schema_bound(const Node& schema, std::string_view keyword);

}  // namespace diskproof
