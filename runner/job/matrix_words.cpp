// One spelling per value, in the letters that names may have.
#include <array>
#include <fmt/format.h>

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

std::string mix_word(const Node& mix) {
  std::string word;
  for (const Entry& share : mix.entries) {
    const std::string percent = canonical_text(share.value);
    word += share.key.substr(0, 1) + percent.substr(0, percent.find('%'));
  }
  return word;
}

std::string joined_words(const Node& value) {
  std::string word;
  for (const Node& item : value.items) word += (word.empty() ? "" : "-") + value_word({}, item);
  for (const Entry& entry : value.entries) {
    const bool named = entry.key != "name";  // of an engine
    word += (word.empty() ? "" : "-") + (named ? entry.key : "") + value_word({}, entry.value);
  }
  return word;
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
  return in_name_letters(joined_words(value));
}

}  // namespace diskproof
