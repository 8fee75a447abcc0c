// Look-up, scalar types and merging of the YAML tree.
#include "job/node.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace diskproof {

const Entry* Node::find(std::string_view key) const {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [key](const Entry& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &*found;
}

const Node* Node::value(std::string_view key) const {
  const Entry* entry = find(key);
  return entry == nullptr ? nullptr : &entry->value;
}

std::size_t weight(const Node& node) {
  std::size_t sum = sizeof(Node) + node.text.size();
  for (const Node& item : node.items) sum += weight(item);
  for (const Entry& entry : node.entries) sum += sizeof(Entry) + entry.key.size() + weight(entry.value);
  return sum;
}

ScalarType scalar_type(const Node& scalar) {
  if (scalar.kind == Node::Kind::null) return ScalarType::null;
  if (scalar.quoted) return ScalarType::string;
  const std::string_view text = scalar.text;
  if (text == "true" || text == "false") return ScalarType::boolean;
  std::size_t at = !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  const auto digits = [&] {
    const std::size_t start = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    return at > start;
  };
  if (!digits()) return ScalarType::string;
  if (at == text.size()) return ScalarType::integer;
  if (text[at] != '.') return ScalarType::string;
  ++at;
  return digits() && at == text.size() ? ScalarType::number : ScalarType::string;
}

Node merged(const Node& under, const Node& over) {
  if (under.kind != Node::Kind::map || over.kind != Node::Kind::map) return over;
  Node result = under;
  result.at = over.at;
  for (const Entry& entry : over.entries) {
    const auto same = std::find_if(result.entries.begin(), result.entries.end(),
                                   [&entry](const Entry& other) { return other.key == entry.key; });
    if (same == result.entries.end()) {
      result.entries.push_back(entry);
    } else {
      *same = Entry{entry.key, entry.key_at, merged(same->value, entry.value)};
    }
  }
  return result;
}

std::string child_path(std::string_view path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

std::string child_path(std::string_view path, std::size_t index) { return fmt::format("{}[{}]", path, index); }

}  // namespace diskproof
