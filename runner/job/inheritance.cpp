// Maps merge and lists replace, but a map that is one value (a mix, the options of another engine) replaces too: half
// of one mix and half of another is neither.
#include "job/inheritance.hpp"

#include <algorithm>

namespace diskproof {
namespace {

constexpr std::array<std::string_view, 3> kWholeValues{"operations", "access", "block_size"};

void remove(Node& map, std::string_view key) {
  std::erase_if(map.entries, [key](const Entry& entry) { return entry.key == key; });
}

std::string_view engine_name(const Node& engine) {
  const Node* name = engine.value("name");
  return name == nullptr ? std::string_view() : std::string_view(name->text);
}

// A phase has one rate: what `over` says of it, in operations or bytes, replaces both.
void drop_rate(Node& target, const Node& over) {
  if (over.find("iops") == nullptr && over.find("bandwidth") == nullptr) return;
  for (Entry& entry : target.entries) {
    if (entry.key != "rate") continue;
    remove(entry.value, "iops");
    remove(entry.value, "bandwidth");
  }
}

// Lays one key of `source` over `target`.
void lay_over(Node& target, const Node* source, std::string_view key) {
  const Entry* entry = source == nullptr ? nullptr : source->find(key);
  if (entry == nullptr) return;
  const Node* before = target.value(key);
  const bool other_engine = key == "engine" && before != nullptr && engine_name(*before) != engine_name(entry->value);
  if (other_engine || std::find(kWholeValues.begin(), kWholeValues.end(), key) != kWholeValues.end())
    remove(target, key);
  if (key == "rate") drop_rate(target, entry->value);
  Node layer;
  layer.kind = Node::Kind::map;
  layer.at = target.at;
  layer.entries.push_back(*entry);
  target = merged(target, layer);
}

// Lays a group or a phase over what it inherits. Its stop rule replaces the inherited one.
void lay_all_over(Node& target, const Node& layer) {
  const bool own_stop =
      std::any_of(kStopKeys.begin(), kStopKeys.end(), [&](std::string_view key) { return layer.find(key) != nullptr; });
  if (own_stop) {
    for (const std::string_view key : kStopKeys) remove(target, key);
  }
  for (const Entry& entry : layer.entries) lay_over(target, &layer, entry.key);
}

}  // namespace

Node effective_phase(const Node* defaults, const Node* disk, const Node* group, const Node& phase) {
  if (phase.kind != Node::Kind::map) return phase;
  Node result;
  result.kind = Node::Kind::map;
  lay_over(result, disk, "limits");
  if (defaults != nullptr) {
    for (const Entry& entry : defaults->entries) lay_over(result, defaults, entry.key);
  }
  lay_over(result, disk, "engine");
  if (group != nullptr) lay_all_over(result, *group);
  lay_all_over(result, phase);
  result.at = phase.at;
  return result;
}

}  // namespace diskproof
