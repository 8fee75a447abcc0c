// One spelling per value, in the letters that names may have.
#include <algorithm>
#include <array>
#include <fmt/ranges.h>
#include <map>

#include "job/matrix.hpp"
#include "support/units.hpp"

namespace diskproof {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t size;
};

// In the largest unit of which it is a whole number.
template <std::size_t N>
std::string in_units(std::uint64_t value, const std::array<Unit, N>& units) {
  for (const Unit& unit : units) {
    if (value % unit.size == 0) return fmt::format("{}{}", value / unit.size, unit.name);
  }
  return std::to_string(value);
}

std::string size_text(std::uint64_t bytes) {
  static constexpr std::array kUnits{Unit{"TiB", 1ull << 40}, Unit{"GiB", 1ull << 30},    Unit{"MiB", 1ull << 20},
                                     Unit{"KiB", 1ull << 10}, Unit{"TB", 1000000000000u}, Unit{"GB", 1000000000u},
                                     Unit{"MB", 1000000u},    Unit{"kB", 1000u},          Unit{"B", 1}};
  return bytes == 0 ? "0B" : in_units(bytes, kUnits);
}

std::string duration_text(std::uint64_t ns) {
  static constexpr std::array kUnits{Unit{"h", 3600000000000u}, Unit{"min", 60000000000u}, Unit{"s", 1000000000u},
                                     Unit{"ms", 1000000u},      Unit{"us", 1000u},         Unit{"ns", 1}};
  return ns == 0 ? "0s" : in_units(ns, kUnits);
}

// What a name may not hold becomes `pct` or a dash.
std::string in_name_letters(const std::string& text) {
  std::string word;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                       c == '.' || c == ':' || c == '-';
    if (c == '%') {
      word += "pct";
    } else {
      word += plain ? c : '-';
    }
  }
  return word;
}

// All of one operation is its word; where no share can be read, the schema check says so.
std::string mix_word(const Node& mix) {
  std::string word;
  for (const std::string operation : {"read", "write", "trim"}) {
    const Node* share = mix.value(operation);
    if (share == nullptr) continue;
    const std::string percent = canonical_text(*share);
    if (percent == "100%") return operation;
    if (percent != "0%") word += operation.substr(0, 1) + percent.substr(0, percent.find('%'));
  }
  return word;
}

std::string sizes_word(const Node& sizes) {
  std::map<std::uint64_t, std::string> shares;
  for (const Entry& entry : sizes.entries) {
    const std::string percent = canonical_text(entry.value);
    const auto size = parse_size(entry.key);
    const std::uint64_t bytes = size ? *size : 0;
    if (percent == "100%") return size ? size_text(bytes) : entry.key;
    shares[bytes] += (size ? size_text(bytes) : entry.key) + percent;
  }
  std::string word;
  for (const auto& [size, share] : shares) word += (word.empty() ? "" : "-") + share;
  return word;
}

// The keys of a map in one order, but for the zones of a hotspot, which lie behind each other as they are written.
std::string joined_words(const std::string& key, const Node& value) {
  std::vector<std::string> words;
  for (const Node& item : value.items) words.push_back(value_word({}, item));
  std::vector<Entry> entries = value.entries;
  const auto name_first = [](const Entry& a, const Entry& b) {
    return std::pair(a.key != "name", a.key) < std::pair(b.key != "name", b.key);
  };
  if (key != "access") std::ranges::sort(entries, name_first);
  for (const Entry& entry : entries) {
    const bool named = entry.key != "name";  // of an engine
    words.push_back((named ? entry.key : "") + value_word(key == "access" ? key : "", entry.value));
  }
  return fmt::format("{}", fmt::join(words, "-"));
}

}  // namespace

std::string canonical_text(const Node& scalar) {
  const std::string& text = scalar.text;
  if (const auto bytes = parse_size(text)) return size_text(*bytes);
  if (const auto time = parse_duration(text)) return duration_text(static_cast<std::uint64_t>((*time).count()));
  if (const auto percent = parse_percent(text)) return fmt::format("{:g}%", *percent);
  if (const auto number = parse_integer(text)) return std::to_string(*number);
  return text;
}

std::string value_word(const std::string& key, const Node& value) {
  if (value.kind == Node::Kind::scalar) return in_name_letters(canonical_text(value));
  if (value.kind == Node::Kind::null) return "none";
  if (key == "operations" && value.kind == Node::Kind::map) return in_name_letters(mix_word(value));
  if (key == "block_size" && value.kind == Node::Kind::map) return in_name_letters(sizes_word(value));
  return in_name_letters(joined_words(key, value));
}

}  // namespace diskproof
