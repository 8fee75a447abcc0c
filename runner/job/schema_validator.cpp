// A recursive walk over tree and schema together. Branches of anyOf are chosen by the kind of the value, then by trial.
#include "job/schema_validator.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "job/fio_words.hpp"
#include "job/scalar_check.hpp"
#include "support/near_name.hpp"

namespace diskproof {
namespace {

constexpr std::size_t kMostFaults = 100;
constexpr std::string_view kLater = "not available in this version";

std::vector<std::string> keys_of(const Node& map) {
  std::vector<std::string> keys;
  for (const Entry& entry : map.entries) keys.push_back(entry.key);
  return keys;
}

auto among(const std::vector<std::string>& words) {
  return [&words](std::string_view word) { return std::find(words.begin(), words.end(), word) != words.end(); };
}

class Validator {
 public:
  Validator(const Schema& schema, std::string file, Diagnostics& diagnostics)
      : schema_(schema), file_(std::move(file)), diagnostics_(diagnostics) {}

  // `key_at`: where the value's key stands.
  void check(const Node& node, const Node& reference, const std::string& path, Location key_at) {
    if (node.unresolved || diagnostics_.size() >= kMostFaults) return;
    if (schema_.is_later(reference)) return error(key_at, path, std::string(kLater), {});
    check_available(node, schema_.resolve(reference), path, key_at);
  }

 private:
  void check_available(const Node& node, const Node& schema, const std::string& path, Location key_at) {
    if (const Node* parts = schema.value("allOf")) {
      for (const Node& part : parts->items) check(node, part, path, key_at);
    }
    if (const Node* branches = schema.value("anyOf")) return check_branches(node, schema, *branches, path, key_at);
    if (!has_type(node, schema)) return wrong_type(node, schema, path);
    switch (node.kind) {
      case Node::Kind::null:
        break;
      case Node::Kind::scalar:
        check_scalar(node, schema, path);
        break;
      case Node::Kind::list:
        check_list(node, schema, path);
        break;
      case Node::Kind::map:
        check_map(node, schema, path);
        break;
    }
  }

  void error(Location at, std::string path, std::string message, std::string hint) {
    if (diagnostics_.size() >= kMostFaults) return;
    diagnostics_.push_back({Diagnostic::Level::error, file_, at, std::move(path), std::move(message), std::move(hint)});
  }

  void wrong_type(const Node& node, const Node& schema, const std::string& path) {
    auto [message, hint] = type_fault(node, schema, schema_.describe(schema));
    error(node.at, path, std::move(message), hint.empty() ? forms_of(schema) : std::move(hint));
  }

  // Faults of `node` under one branch, without adding them. Availability is judged once the branch is chosen.
  Diagnostics faults_under(const Node& node, const Node& branch, const std::string& path, Location key_at) {
    Diagnostics faults;
    Validator trial(schema_, file_, faults);
    trial.check_available(node, schema_.resolve(branch), path, key_at);
    return faults;
  }

  void check_branches(const Node& node, const Node& schema, const Node& branches, const std::string& path,
                      Location key_at) {
    std::vector<const Node*> fitting;
    for (const Node& branch : branches.items) {
      if (fits(node, branch)) fitting.push_back(&branch);
    }
    if (fitting.empty()) return wrong_type(node, with_format(schema, branches), path);
    const bool words = schema_.resolve(*fitting.front()).find("enum") != nullptr;
    if (fitting.size() == 1 && !words) return check(node, *fitting.front(), path, key_at);
    for (const Node* branch : fitting) {
      if (faults_under(node, *branch, path, key_at).empty()) return check(node, *branch, path, key_at);
    }
    std::vector<std::string> known;
    for (const Node* branch : fitting) {
      if (schema_.is_later(*branch)) continue;
      if (const Node* values = schema_.resolve(*branch).value("enum")) {
        for (const Node& value : values->items) known.push_back(value.text);
      }
    }
    const std::string near = did_you_mean(node.text, known);
    error(node.at, path, fmt::format("{} is not {}", quoted_value(node), schema_.describe(schema)),
          near.empty() ? forms_of(schema) : near);
  }

  // The branch with a unit, whose parser gives the better advice for a bare number; else the whole.
  const Node& with_format(const Node& schema, const Node& branches) {
    for (const Node& branch : branches.items) {
      if (schema_.resolve(branch).find("format") != nullptr) return schema_.resolve(branch);
    }
    return schema;
  }

  bool fits(const Node& node, const Node& branch) {
    const Node& schema = schema_.resolve(branch);
    if (const Node* inner = schema.value("anyOf")) {
      return std::any_of(inner->items.begin(), inner->items.end(), [&](const Node& one) { return fits(node, one); });
    }
    return has_type(node, schema);
  }

  // What the schema itself says to write; empty: nothing.
  static std::string forms_of(const Node& schema) {
    const Node* forms = schema.value("x-hint");
    return forms == nullptr ? std::string() : forms->text;
  }

  static std::string did_you_mean(std::string_view name, const std::vector<std::string>& known) {
    const std::string nearest = nearest_name(name, known);
    return nearest.empty() ? std::string() : fmt::format("did you mean {}?", nearest);
  }

  void check_scalar(const Node& node, const Node& schema, const std::string& path) {
    if (auto fault = scalar_fault(node, schema)) {
      const Node* values = schema.value("enum");
      if (values != nullptr) {
        std::vector<std::string> known;
        for (const Node& value : values->items) known.push_back(value.text);
        fault->hint = fio_value_hint(node.text, among(known));
        if (fault->hint.empty()) fault->hint = did_you_mean(node.text, known);
      }
      error(node.at, path, std::move(fault->message), std::move(fault->hint));
    }
  }

  void check_list(const Node& node, const Node& schema, const std::string& path) {
    const auto bound = [&](std::string_view keyword) { return schema_bound(schema, keyword); };
    if (const auto least = bound("minItems"); least && static_cast<double>(node.items.size()) < *least) {
      return error(node.at, path, "is an empty list", "at least one entry is needed");
    }
    if (const auto most = bound("maxItems"); most && static_cast<double>(node.items.size()) > *most) {
      return error(node.at, path, fmt::format("has {} entries; at most {} are allowed", node.items.size(), *most), {});
    }
    if (const Node* items = schema.value("items")) {
      for (std::size_t i = 0; i < node.items.size(); ++i)
        check(node.items[i], *items, child_path(path, i), node.items[i].at);
    }
  }

  void check_map(const Node& node, const Node& schema, const std::string& path) {
    const Node* properties = schema.value("properties");
    const Node* others = schema.value("additionalProperties");
    for (const Entry& entry : node.entries) {
      if (diagnostics_.size() >= kMostFaults) return;
      const std::string at = child_path(path, entry.key);
      const Node* property = properties == nullptr ? nullptr : properties->value(entry.key);
      const bool closed = others != nullptr && others->kind == Node::Kind::scalar;
      if (property != nullptr) {
        check(entry.value, *property, at, entry.key_at);
      } else if (others != nullptr && !closed && !mistyped_key(entry, *others, properties)) {
        check(entry.value, *others, at, entry.key_at);
      } else if (others != nullptr) {
        error(entry.key_at, at, "unknown key", unknown_key_hint(entry.key, properties));
      }
    }
    if (const auto least = schema_bound(schema, "minProperties");
        least && static_cast<double>(node.entries.size()) < *least) {
      error(node.at, path, "is an empty map", "at least one entry is needed");
    }
    check_required(node, schema, path);
  }

  // A free key whose value has the wrong kind, with a known key nearby: rather a typing error in the key.
  bool mistyped_key(const Entry& entry, const Node& others, const Node* properties) {
    if (properties == nullptr || fits(entry.value, others)) return false;
    return entry.key.find('.') != std::string::npos || !nearest_name(entry.key, keys_of(*properties)).empty();
  }

  std::string unknown_key_hint(const std::string& key, const Node* properties) {
    if (properties == nullptr) return {};
    const std::vector<std::string> known = keys_of(*properties);
    if (std::string hint = fio_key_hint(key, among(known)); !hint.empty()) return hint;
    const std::string near = did_you_mean(key, known);
    if (!near.empty() || known.size() > 12) return near;
    std::string list;
    for (const std::string& name : known) list += (list.empty() ? "known: " : ", ") + name;
    return list;
  }

  void check_required(const Node& node, const Node& schema, const std::string& path) {
    const Node* required = schema.value("required");
    if (required == nullptr) return;
    for (const Node& name : required->items) {
      if (node.find(name.text) == nullptr) {
        error(node.at, path, fmt::format("the key '{}' is missing", name.text), {});
      }
    }
  }

  const Schema& schema_;
  std::string file_;
  Diagnostics& diagnostics_;
};

}  // namespace

void validate(const Node& root, const Schema& schema, const std::string& file, Diagnostics& diagnostics) {
  Diagnostics found;
  Validator(schema, file, found).check(root, schema.root(), {}, root.at);
  if (found.size() >= kMostFaults) {
    found.push_back({Diagnostic::Level::error, file, {}, {}, "more faults are not shown", "repair these first"});
  }
  diagnostics.insert(diagnostics.end(), found.begin(), found.end());
}

}  // namespace diskproof
