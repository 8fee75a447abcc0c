// Where operations go and how long they are: `access` and `block_size` with their forms as maps.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "job/struct_parsers.hpp"

namespace diskproof {
namespace {

constexpr double kHighestZipf = 100;  // beyond it everything is the first block

// A number within (low, high); else an error that says what it is.
double parse_between(MapReader& inner, std::string_view key, double low, double high, std::string_view meaning) {
  const Node* node = inner.take(key);
  if (node == nullptr || inner.context().unusable.contains(inner.path_of(key))) return 0;
  const auto value = parse_number(node->text);
  if (value && *value > low && *value < high) return *value;
  inner.context().error(node->at, inner.path_of(key),
                        fmt::format("{} is not between {:g} and {:g}, both excluded", node->text, low, high),
                        std::string(meaning));
  inner.mark_unusable(key);
  return 0;
}

double parse_share(MapReader& reader, const Entry& entry, const std::string& path) {
  const auto share = parse_percent(entry.value.text);
  if (share) return *share;
  reader.context().unusable.insert(path);
  return 0;
}

void parse_hotspot(MapReader& inner, Phase& phase) {
  const Node* node = inner.take("hotspot");
  if (node == nullptr) return;
  const std::string path = inner.path_of("hotspot");
  auto& context = inner.context();
  double blocks = 0, draws = 0;
  for (const Entry& entry : node->entries) {
    const auto share = parse_percent(entry.key);
    if (!share || *share <= 0) {
      context.error(entry.key_at, path, fmt::format("'{}' is not a share of the blocks", entry.key),
                    "write for example {10%: 90%}: a tenth of the blocks gets nine tenths of the operations");
      return inner.mark_unusable("hotspot");
    }
    phase.hot_zones.push_back({*share, parse_share(inner, entry, child_path(path, entry.key))});
    blocks += *share;
    draws += phase.hot_zones.back().draws;
  }
  for (const auto& [sum, what] : {std::pair{blocks, "blocks"}, std::pair{draws, "operations"}}) {
    if (sum <= 100) continue;
    context.error(node->at, path, fmt::format("the shares of {} sum to {:g}%, more than 100%", what, sum), {});
  }
  if (blocks >= 100 && draws < 100) {
    context.error(node->at, path, fmt::format("leaves {:g}% of the operations without a block", 100 - draws),
                  "let the shares of blocks sum to less than 100%, or those of operations to 100%");
  }
}

}  // namespace

void parse_access_pattern(MapReader& reader, Phase& phase) {
  const Node* node = reader.take("access");
  if (node == nullptr) return;
  if (node->kind != Node::Kind::map) {
    const auto named = parse_access(node->text);
    return named ? void(phase.access = *named) : reader.mark_unusable("access");
  }
  const std::string path = reader.path_of("access");
  MapReader inner(*node, "skewed_access", path, reader.context());
  const double zipf = parse_between(inner, "zipf", 0, kHighestZipf, "1.2 is a usual exponent; 0 would be `random`");
  const double pareto =
      parse_between(inner, "pareto", 0, 0.5, "0.2 gives a fifth of the blocks four fifths of the operations");
  parse_hotspot(inner, phase);
  if (node->entries.size() > 1) {
    const Entry& second = node->entries[1];
    reader.context().error(second.key_at, inner.path_of(second.key),
                           fmt::format("a second pattern; {} is given too", node->entries[0].key), "keep one of them");
  }
  if (node->entries.size() != 1) return reader.mark_unusable("access");
  const std::string& key = node->entries[0].key;
  if (key == "zipf") phase.access = Access::zipf;
  if (key == "pareto") phase.access = Access::pareto;
  if (key == "hotspot") phase.access = Access::hotspot;
  phase.skew = key == "zipf" ? zipf : key == "pareto" ? pareto : 0;
}

void parse_block_sizes(MapReader& reader, Phase& phase) {
  const Node* node = reader.take("block_size");
  if (node == nullptr) return;
  auto& context = reader.context();
  const std::string path = reader.path_of("block_size");
  if (node->kind != Node::Kind::map) {
    const auto size = parse_size(node->text);
    return size ? void(phase.block_size = *size) : reader.mark_unusable("block_size");
  }
  double sum = 0;
  std::vector<BlockShare> shares;
  for (const Entry& entry : node->entries) {
    const auto size = parse_size(entry.key);
    if (!size) {
      context.error(entry.key_at, path, size.error, {});
      return reader.mark_unusable("block_size");
    }
    shares.push_back({*size, parse_share(reader, entry, child_path(path, entry.key))});
    sum += shares.back().percent;
    if (context.unusable.contains(child_path(path, entry.key))) return reader.mark_unusable("block_size");
    if (shares.back().percent <= 0) {
      context.error(entry.value.at, child_path(path, entry.key), "a share of nothing", "leave the size out");
      return reader.mark_unusable("block_size");
    }
  }
  std::ranges::sort(shares, {}, &BlockShare::size);
  const auto twice = std::ranges::adjacent_find(shares, {}, &BlockShare::size);
  if (twice != shares.end()) {
    context.error(node->at, path, fmt::format("{} is listed twice", format_bytes(twice->size)), "add their shares up");
    return reader.mark_unusable("block_size");
  }
  if (std::abs(sum - 100) > 0.01) {
    context.error(node->at, path, fmt::format("the shares sum to {:g}%, not to 100%", sum), {});
    return reader.mark_unusable("block_size");
  }
  phase.block_size = shares.back().size;
  if (shares.size() > 1) phase.block_sizes = std::move(shares);
}

}  // namespace diskproof
