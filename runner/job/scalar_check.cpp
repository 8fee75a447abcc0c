// Formats are checked by the parsers that will read the value, so that both always agree.
#include "job/scalar_check.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>

#include "job/value_reader.hpp"
#include "support/cpu_list.hpp"
#include "support/units.hpp"

namespace diskproof {
namespace {

constexpr Nanoseconds kLongestDuration = std::chrono::hours(8760);

bool type_matches(std::string_view type, const Node& node) {
  if (node.kind == Node::Kind::map) return type == "object";
  if (node.kind == Node::Kind::list) return type == "array";
  const ScalarType found = scalar_type(node);
  if (node.replaced && type == "string") return true;
  switch (found) {
    case ScalarType::null:
      return type == "null";
    case ScalarType::boolean:
      return type == "boolean";
    case ScalarType::integer:
      return type == "integer" || type == "number";
    case ScalarType::number:
      return type == "number";
    case ScalarType::string:
      return type == "string";
  }
  return false;
}

// Longer ones are slips of the pen, and sums of them no times any more.
std::string duration_fault(std::string_view text) {
  const auto duration = parse_duration(text);
  if (!duration || *duration <= kLongestDuration) return duration.error;
  return fmt::format("'{}' is longer than 8760h, which is a year and the most that a job can say", text);
}

std::string format_fault(std::string_view format, std::string_view text) {
  if (format == "byte-size") return parse_size(text).error;
  if (format == "time-span") return duration_fault(text);
  if (format == "bandwidth") return parse_bandwidth(text).error;
  if (format == "percent") return parse_percent(text).error;
  if (format == "share-of-limit") return parse_share_of_limit(text).error;
  if (format == "cpu-range") return parse_cpu_range(text).error;
  if (format == "extent")
    return !text.empty() && text.back() == '%' ? parse_percent(text).error : parse_size(text).error;
  return name_fault(text);
}

bool in_range(const Node& scalar, const Node& schema, ScalarFault& fault) {
  const auto least = schema_bound(schema, "minimum");
  const auto most = schema_bound(schema, "maximum");
  std::string_view text = scalar.text;
  const bool negative = text.front() == '-';
  if (negative || text.front() == '+') text.remove_prefix(1);
  const bool whole = text.find('.') == std::string_view::npos;
  if (whole) {
    if (const auto value = parse_integer(text); !value) {
      fault.message = value.error;
      return false;
    }
  }
  const auto value = parse_number(text);
  if (!value || scalar.text.front() == '+') {
    fault.message = fmt::format("'{}' is not a plain decimal number", scalar.text.substr(0, 60));
    return false;
  }
  const double number = negative ? -*value : *value;
  if ((!least || number >= *least) && (!most || number <= *most)) return true;
  fault.message = least && most ? fmt::format("{} is outside {} to {}", scalar.text, *least, *most)
                  : least       ? fmt::format("{} is below {}", scalar.text, *least)
                                : fmt::format("{} is above {}", scalar.text, *most);
  return false;
}

std::string listed(const Node& values) {
  std::string text;
  for (const Node& value : values.items) text += (text.empty() ? "" : ", ") + value.text;
  return text;
}

}  // namespace

std::string name_fault(std::string_view text) {
  const auto allowed = [](char c) {
    const bool alnum = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return alnum || std::string_view(" _.:=/-").find(c) != std::string_view::npos;
  };
  if (text.empty()) return "is empty";
  if (text.front() == ' ' || text.back() == ' ') return "starts or ends with a space";
  const auto odd = std::find_if_not(text.begin(), text.end(), allowed);
  return odd == text.end() ? std::string() : "may hold letters, digits, space and _ . : = / - only";
}

std::optional<double> schema_bound(const Node& schema, std::string_view keyword) {
  const Node* bound = schema.value(keyword);
  return bound == nullptr ? std::nullopt : parse_number(bound->text).value;
}

std::string quoted_value(const Node& node) {
  constexpr std::size_t kShown = 60;
  switch (node.kind) {
    case Node::Kind::null:
      return "nothing";
    case Node::Kind::list:
      return "a list";
    case Node::Kind::map:
      return "a map";
    case Node::Kind::scalar:
      break;
  }
  return node.text.size() > kShown ? fmt::format("'{}…'", node.text.substr(0, kShown)) : fmt::format("'{}'", node.text);
}

bool has_type(const Node& node, const Node& schema) {
  const Node* type = schema.value("type");
  if (type == nullptr) return schema.find("enum") == nullptr || type_matches("string", node);
  if (type->kind == Node::Kind::scalar) return type_matches(type->text, node);
  return std::any_of(type->items.begin(), type->items.end(),
                     [&](const Node& one) { return type_matches(one.text, node); });
}

ScalarFault type_fault(const Node& node, const Node& schema, const std::string& expected) {
  if (node.kind == Node::Kind::null) {
    const bool text = expected.starts_with("text") || expected == "a name";
    return {fmt::format("has no value; expected {}", expected), text ? "for the word null write \"null\"" : ""};
  }
  if (node.kind != Node::Kind::scalar) return {fmt::format("is {}; expected {}", quoted_value(node), expected), {}};
  // A bare number where a unit belongs: the unit's parser names the candidates.
  const Node* format = schema.value("format");
  const ScalarType found = scalar_type(node);
  if (format != nullptr && format->text != "name" && found != ScalarType::string) {
    return {format_fault(format->text, node.text), {}};
  }
  std::string hint;
  const bool wants_text = expected == "text" || expected == "a name";
  Node plain = node;
  plain.quoted = false;
  static constexpr std::string_view kOtherBooleans[]{"yes", "no",   "on",    "off",  "y",
                                                     "n",   "True", "False", "TRUE", "FALSE"};
  if (wants_text && found != ScalarType::string) {
    hint = fmt::format("put it in quotes: \"{}\"", node.text.substr(0, 60));
  } else if (node.quoted && !wants_text && has_type(plain, schema)) {
    hint = "remove the quotes";
  } else if (expected == "true or false" &&
             std::find(std::begin(kOtherBooleans), std::end(kOtherBooleans), node.text) != std::end(kOtherBooleans)) {
    hint = "only these two words are read";
  }
  return {fmt::format("{} is not {}", quoted_value(node), expected), hint};
}

std::optional<ScalarFault> scalar_fault(const Node& scalar, const Node& schema) {
  if (const Node* fixed = schema.value("const"); fixed != nullptr && scalar.text != fixed->text) {
    return ScalarFault{fmt::format("{} is not {}, the only value known", quoted_value(scalar), fixed->text), {}};
  }
  if (const Node* values = schema.value("enum")) {
    const bool known = std::any_of(values->items.begin(), values->items.end(),
                                   [&](const Node& one) { return one.text == scalar.text; });
    if (!known) {
      const std::string one_of = values->items.size() == 1 ? "" : "one of ";
      return ScalarFault{fmt::format("{} is not {}{}", quoted_value(scalar), one_of, listed(*values)), {}};
    }
    return std::nullopt;
  }
  const Node* type = schema.value("type");
  const bool wants_number = type != nullptr && (type->text == "integer" || type->text == "number");
  if (wants_number) {
    ScalarFault fault;
    return in_range(scalar, schema, fault) ? std::nullopt : std::optional(fault);
  }
  const auto length = static_cast<double>(scalar.text.size());
  if (const auto least = schema_bound(schema, "minLength"); least && length < *least)
    return ScalarFault{"is empty", {}};
  if (const auto most = schema_bound(schema, "maxLength"); most && length > *most) {
    return ScalarFault{fmt::format("is {} bytes long; at most {} are allowed", length, *most), {}};
  }
  if (const Node* format = schema.value("format")) {
    if (std::string message = format_fault(format->text, scalar.text); !message.empty()) {
      const std::string shown = format->text == "name" ? quoted_value(scalar) + " " : std::string();
      return ScalarFault{shown + message, {}};
    }
  }
  return std::nullopt;
}

}  // namespace diskproof
