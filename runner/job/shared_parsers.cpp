// `engine`, `limits` and lists of texts, wherever they stand.
#include <array>
#include <fmt/format.h>
#include <utility>

#include "job/struct_parsers.hpp"

namespace diskproof {
namespace {

EngineChoice parse_engine_choice(const Node& node, const std::string& path, ParseContext& context) {
  EngineChoice choice;
  if (node.kind == Node::Kind::scalar) {
    choice.name = node.text;
    return choice;
  }
  MapReader reader(node, "engine_choice", path, context);
  reader.scalar("name", choice.name, parse_text);
  for (const Entry& entry : node.entries) {
    if (entry.key != "name") choice.options[entry.key] = entry.value.text;
  }
  return choice;
}

// The values of one group; what is itself a map is a group of its own.
LimitGroup parse_limit_group(const Node& node, std::string name, const std::string& kind, const std::string& path,
                             ParseContext& context) {
  static constexpr std::array<std::string_view, 4> kSubjects{"read", "write", "trim", "total"};
  LimitGroup group;
  group.name = std::move(name);
  MapReader reader(node, kind, path, context);
  for (const std::string_view subject : kSubjects) {
    const auto read = [&](const std::string& key, auto parse) {
      double value = 0;
      reader.scalar(key, value, parse);
      if (reader.map().find(key) != nullptr && !context.unusable.contains(reader.path_of(key)))
        group.values[key] = value;
    };
    read(fmt::format("{}.iops", subject), parse_number);
    read(fmt::format("{}.bandwidth", subject), parse_bandwidth);
  }
  return group;
}

}  // namespace

std::vector<EngineChoice> parse_engines(MapReader& reader) {
  std::vector<EngineChoice> engines;
  const Node* node = reader.take("engine");
  if (node == nullptr) return engines;
  const std::string path = reader.path_of("engine");
  if (node->kind != Node::Kind::list) {
    engines.push_back(parse_engine_choice(*node, path, reader.context()));
    return engines;
  }
  for (std::size_t i = 0; i < node->items.size(); ++i) {
    engines.push_back(parse_engine_choice(node->items[i], child_path(path, i), reader.context()));
  }
  return engines;
}

std::vector<std::string> parse_texts(MapReader& reader, std::string_view key) {
  std::vector<std::string> texts;
  const Node* node = reader.take(key);
  if (node == nullptr) return texts;
  for (const Node& item : node->items) texts.push_back(item.text);
  return texts;
}

std::vector<LimitGroup> parse_limits(MapReader& reader) {
  std::vector<LimitGroup> groups;
  const Node* node = reader.take("limits");
  if (node == nullptr) return groups;
  const std::string path = reader.path_of("limits");
  reader.context().consumed.insert("limits.table");  // expanded before
  reader.context().consumed.insert("limits.row");
  LimitGroup flat = parse_limit_group(*node, "", "limits", path, reader.context());
  if (!flat.values.empty()) groups.push_back(std::move(flat));
  for (const Entry& entry : node->entries) {
    if (entry.value.kind != Node::Kind::map || entry.key.find('.') != std::string::npos || entry.key == "row") continue;
    groups.push_back(
        parse_limit_group(entry.value, entry.key, "limit_values", child_path(path, entry.key), reader.context()));
  }
  return groups;
}

}  // namespace diskproof
