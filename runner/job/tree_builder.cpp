// Values are copied into place, so every use of an alias and every anchored value is paid from one budget.
#include "job/tree_builder.hpp"

#include <fmt/format.h>
#include <utility>

#include "job/yaml_reader.hpp"

namespace diskproof {

void TreeBuilder::stop(Location at, std::string message, std::string hint) {
  throw ReadingStopped{{Diagnostic::Level::error, file_, at, path(), std::move(message), std::move(hint)}};
}

void TreeBuilder::error(Location at, std::string path, std::string message, std::string hint) {
  constexpr std::size_t kEnough = 100;
  if (diagnostics_.size() < kEnough) {
    diagnostics_.push_back({Diagnostic::Level::error, file_, at, std::move(path), std::move(message), std::move(hint)});
  }
}

std::string TreeBuilder::path() const {
  std::string path;
  for (const Frame& frame : open_) {
    if (frame.node.kind == Node::Kind::list) {
      path = child_path(path, frame.node.items.size());
    } else if (frame.pending) {
      path = child_path(path, frame.pending->key);
    }
  }
  return path;
}

void TreeBuilder::refuse_tag(Location at, std::string_view tag) {
  if (tag.empty() || tag == "?" || tag == "!") return;
  error(at, path(), fmt::format("has the YAML tag '{}'; tags mean nothing in a job file", tag),
        "write the value without it");
}

void TreeBuilder::spend(Location at, const Cost& cost) {
  spent_.nodes += cost.nodes;
  spent_.text += cost.text;
  if (spent_.nodes > kMostNodes || spent_.text > kMostText) {
    stop(at,
         fmt::format("the file holds more than {} values or {} bytes of text once its aliases are expanded", kMostNodes,
                     kMostText),
         "use fewer aliases");
  }
}

void TreeBuilder::null(Location at, std::size_t anchor) {
  last_ = at;
  Node node;
  // An empty value is reported where the parser met the next token; its key is the better place.
  node.at = at;
  if (const Entry* key = pending_key()) node.at = key->key_at;
  spend(at, Cost{});
  add(std::move(node), Cost{}, anchor);
}

const Entry* TreeBuilder::pending_key() const {
  if (open_.empty()) return nullptr;
  const auto& pending = open_.back().pending;
  return pending ? &*pending : nullptr;
}

void TreeBuilder::scalar(Location at, std::string_view tag, std::size_t anchor, const std::string& text) {
  last_ = at;
  refuse_tag(at, tag);
  if (text.size() > kLongestScalar)
    stop(at, fmt::format("a value of {} bytes; at most {} are read", text.size(), kLongestScalar));
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\t' && c != '\n') || byte == 0x7F) {
      error(at, path(), fmt::format("holds the control character 0x{:02x}", byte), "remove the escape");
      break;
    }
  }
  Node node;
  node.kind = Node::Kind::scalar;
  node.at = at;
  node.text = text;
  node.quoted = tag != "?";
  const Cost cost{1, text.size()};
  spend(at, cost);
  add(std::move(node), cost, anchor);
}

void TreeBuilder::alias(Location at, std::size_t anchor) {
  last_ = at;
  const auto found = anchors_.find(anchor);
  if (found == anchors_.end())
    stop(at, "an alias inside the value that it stands for", "a value cannot contain itself");
  spend(at, found->second.cost);
  Node node = found->second.node;
  node.at = at;
  add(std::move(node), found->second.cost, 0);
}

void TreeBuilder::open(Location at, std::string_view tag, std::size_t anchor, Node::Kind kind) {
  last_ = at;
  refuse_tag(at, tag);
  if (open_.size() >= kDeepestNesting) stop(at, fmt::format("nested more than {} levels deep", kDeepestNesting));
  spend(at, Cost{});
  Frame frame;
  frame.node.kind = kind;
  frame.node.at = at;
  frame.anchor = anchor;
  open_.push_back(std::move(frame));
}

void TreeBuilder::close() {
  if (auto& merge = open_.back().merge) apply_merge(open_.back(), merge->value);
  Frame frame = std::move(open_.back());
  open_.pop_back();
  frame.cost.nodes += 1;
  add(std::move(frame.node), frame.cost, frame.anchor);
}

void TreeBuilder::add(Node node, const Cost& cost, std::size_t anchor) {
  if (anchor != 0) {
    spend(node.at, cost);
    anchors_[anchor] = {node, cost};
  }
  if (open_.empty()) {
    root_ = std::move(node);
    return;
  }
  Frame& parent = open_.back();
  parent.cost.nodes += cost.nodes;
  parent.cost.text += cost.text;
  if (parent.node.kind == Node::Kind::list) {
    parent.node.items.push_back(std::move(node));
  } else if (auto& pending = parent.pending) {
    Entry entry = std::move(*pending);
    pending.reset();
    entry.value = std::move(node);
    add_entry(parent, std::move(entry));
  } else {
    add_key(parent, node);
  }
}

void TreeBuilder::add_key(Frame& map, const Node& key) {
  if (key.kind != Node::Kind::scalar || key.text.empty()) {
    stop(key.at, "a key must be plain text", "values with ': ' inside or starting with '{' or '[' need quotes");
  }
  if (map.keys.size() >= kMostKeys) stop(key.at, fmt::format("a map with more than {} keys", kMostKeys));
  const auto [seen, fresh] = map.keys.try_emplace(key.text, key.at);
  map.dropped = !fresh;
  if (!fresh) {
    error(key.at, child_path(path(), key.text),
          fmt::format("the key is given twice, first in line {}", seen->second.line), "keep one of them");
  }
  map.pending = Entry{key.text, key.at, {}};
  if (key.text == "<<" && !key.quoted && fresh) map.merge = Entry{};
}

void TreeBuilder::add_entry(Frame& map, Entry entry) {
  if (map.dropped) return;
  const bool merging = map.merge && map.merge->key.empty();
  if (merging) {
    map.merge = std::move(entry);
  } else {
    map.node.entries.push_back(std::move(entry));
  }
}

void TreeBuilder::apply_merge(Frame& map, const Node& sources) {
  if (sources.kind != Node::Kind::list) merge_from(map, sources);
  for (const Node& source : sources.items) merge_from(map, source);
}

// The map's own keys win, and those of earlier sources.
void TreeBuilder::merge_from(Frame& map, const Node& source) {
  if (source.kind != Node::Kind::map) {
    error(source.at, child_path(path(), "<<"), "merges only a map or a list of maps",
          "write '<<: *name' of an anchored map");
    return;
  }
  for (const Entry& entry : source.entries) {
    if (map.keys.size() >= kMostKeys) stop(source.at, fmt::format("a map with more than {} keys", kMostKeys));
    if (map.keys.try_emplace(entry.key, entry.key_at).second) map.node.entries.push_back(entry);
  }
}

}  // namespace diskproof
