// Reads the keys of one map into plain values. What cannot be read was reported by the schema check already, so it is
// only remembered: rules about such a value stay silent.
#pragma once

#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "job/diagnostic.hpp"
#include "job/job.hpp"
#include "job/node.hpp"
#include "support/units.hpp"

namespace diskproof {

struct ParseContext {
  std::string file;
  Diagnostics diagnostics;
  std::set<std::string, std::less<>> unusable;  // key paths whose value could not be read
  Diagnostics schema_faults;                    // their values are not read either
  std::set<std::string, std::less<>> consumed;  // "phase.block_size": every schema property that was asked for

  void error(Location at, std::string path, std::string message, std::string hint = {}) {
    diagnostics.push_back({Diagnostic::Level::error, file, at, std::move(path), std::move(message), std::move(hint)});
  }
};

class MapReader {
 public:
  // `kind` names the schema definition; `map` may be of any kind, only a map has keys.
  MapReader(const Node& map, std::string kind, std::string path, ParseContext& context)
      : map_(map), kind_(std::move(kind)), path_(std::move(path)), context_(context) {}

  // The key's value, nullptr when it is not given. One that the schema refused is marked unusable.
  const Node* take(std::string_view key);

  // Reads a scalar with `parse`, which answers with a Parsed. Absent: `out` keeps its default.
  template <typename T, typename Parse>
  void scalar(std::string_view key, T& out, Parse parse) {
    const Node* node = take(key);
    if (node == nullptr) return;
    if (node->kind == Node::Kind::scalar && !context_.unusable.contains(path_of(key))) {
      if (auto parsed = parse(node->text)) {
        out = *parsed;
        return;
      }
    }
    mark_unusable(key);
  }

  void mark_unusable(std::string_view key) { context_.unusable.insert(child_path(path_, key)); }

  [[nodiscard]] std::string path_of(std::string_view key) const { return child_path(path_, key); }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const Node& map() const { return map_; }
  [[nodiscard]] ParseContext& context() { return context_; }

 private:
  const Node& map_;
  std::string kind_;
  std::string path_;
  ParseContext& context_;
};

Parsed<std::string> parse_text(std::string_view text);
Parsed<bool> parse_boolean(std::string_view text);
Parsed<std::uint32_t> parse_small_integer(std::string_view text);
Parsed<std::uint32_t> parse_batch(std::string_view text);  // "auto" is 0
Parsed<Extent> parse_extent(std::string_view text);
Parsed<Layout> parse_layout(std::string_view text);
Parsed<Access> parse_access(std::string_view text);
Parsed<Arrival> parse_arrival(std::string_view text);
Parsed<Durability> parse_durability(std::string_view text);
Parsed<double> parse_share_of_limit(std::string_view text);  // "80% of limit" is 80
Parsed<RateValue> parse_rate_iops(std::string_view text);
Parsed<RateValue> parse_rate_bandwidth(std::string_view text);
Parsed<Severity> parse_severity(std::string_view text);
Parsed<Score> parse_score(std::string_view text);

}  // namespace diskproof
