// Parsing is exact: digits and unit are integers, a fraction must divide out. Floating point only where the result is
// a rate or a share.
#include "support/units.hpp"

#include <array>
#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <span>

namespace diskproof {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t kLongestNumber = 40;  // characters; longer texts are never a number of ours

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

constexpr std::array kSizes{Unit{"B", 1},
                            Unit{"kB", 1000},
                            Unit{"MB", 1000'000},
                            Unit{"GB", 1000'000'000},
                            Unit{"TB", 1000'000'000'000},
                            Unit{"KiB", 1ull << 10},
                            Unit{"MiB", 1ull << 20},
                            Unit{"GiB", 1ull << 30},
                            Unit{"TiB", 1ull << 40}};
constexpr std::array kDurations{Unit{"ns", 1},
                                Unit{"us", 1000},
                                Unit{"ms", 1000'000},
                                Unit{"s", 1000'000'000},
                                Unit{"min", 60ull * 1000'000'000},
                                Unit{"h", 3600ull * 1000'000'000}};
constexpr std::array kBits{Unit{"bit", 1}, Unit{"kbit", 1000}, Unit{"Mbit", 1000'000}, Unit{"Gbit", 1000'000'000},
                           Unit{"Tbit", 1000'000'000'000}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string shown(std::string_view text) {
  return text.size() <= kLongestNumber ? fmt::format("'{}'", text)
                                       : fmt::format("'{}…'", text.substr(0, kLongestNumber));
}

// "12.50KiB" split into digits "12.50" and unit "KiB".
struct Split {
  std::string_view whole, fraction, number, unit;
};

std::optional<Split> split(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && is_digit(text[at])) ++at;
  Split parts{text.substr(0, at), {}, {}, {}};
  if (at == 0 || text.size() > kLongestNumber) return std::nullopt;
  if (at + 1 < text.size() && text[at] == '.' && is_digit(text[at + 1])) {
    const std::size_t start = ++at;
    while (at < text.size() && is_digit(text[at])) ++at;
    parts.fraction = text.substr(start, at - start);
  }
  parts.number = text.substr(0, at);
  parts.unit = text.substr(at);
  return parts;
}

std::optional<std::uint64_t> multiply(std::uint64_t a, std::uint64_t b) {
  if (b != 0 && a > kMax / b) return std::nullopt;
  return a * b;
}

// number × factor in integers. Absent: too large, or not whole (then `whole` is false).
std::optional<std::uint64_t> scale(const Split& parts, std::uint64_t factor, bool& whole) {
  whole = true;
  std::string_view fraction = parts.fraction;
  while (!fraction.empty() && fraction.back() == '0') fraction.remove_suffix(1);
  if (fraction.size() > 18) {
    whole = false;
    return std::nullopt;
  }
  std::uint64_t mantissa = 0;
  std::uint64_t divisor = 1;
  const auto append = [&mantissa](std::string_view digits) {
    for (const char c : digits) {
      const auto shifted = multiply(mantissa, 10);
      const auto digit = static_cast<std::uint64_t>(c - '0');
      if (!shifted || *shifted > kMax - digit) return false;
      mantissa = *shifted + digit;
    }
    return true;
  };
  if (!append(parts.whole) || !append(fraction)) return std::nullopt;
  for (std::size_t i = 0; i < fraction.size(); ++i) divisor *= 10;
  const std::uint64_t common = std::gcd(factor, divisor);
  whole = mantissa % (divisor / common) == 0;
  if (!whole) return std::nullopt;
  return multiply(mantissa / (divisor / common), factor / common);
}

const Unit* find_unit(std::span<const Unit> units, std::string_view name) {
  for (const Unit& unit : units) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

std::string names_of(std::span<const Unit> units) {
  std::string names;
  for (const Unit& unit : units) names += (names.empty() ? "" : " ") + std::string(unit.name);
  return names;
}

// "k", "KB", "m", "gib": the prefix letter when the unit only looks like one of ours, else 0.
char ambiguous_prefix(std::string_view unit) {
  if (unit.empty() || unit.size() > 3) return 0;
  const std::string_view letters = "kKmMgGtT";
  const auto at = letters.find(unit[0]);
  if (at == std::string_view::npos) return 0;
  const std::string_view rest = unit.substr(1);
  const bool known = rest.empty() || rest == "b" || rest == "B" || rest == "i" || rest == "ib" || rest == "iB" ||
                     rest == "IB" || rest == "Ib";
  return known ? letters[at | 1] : '\0';
}

std::string two_candidates(std::string_view number, char prefix, std::string_view suffix) {
  const std::string decimal = prefix == 'K' ? "k" : std::string(1, prefix);
  return fmt::format("{0}{1}B{3} (1000-based) or {0}{2}iB{3} (1024-based)", number, decimal, prefix, suffix);
}

std::string malformed(std::string_view text, std::string_view example) {
  if (text.empty()) return fmt::format("is empty; write for example {}", example);
  if (text.front() == '-' || text.front() == '+')
    return fmt::format("{} has a sign; write for example {}", shown(text), example);
  if (text.front() == '.') return fmt::format("{} needs a digit before the point", shown(text));
  return fmt::format("{} is not a number with a unit; write for example {}", shown(text), example);
}

std::string unit_error(const Split& parts, std::string_view text, std::span<const Unit> units) {
  if (parts.unit.front() == ' ') return fmt::format("{} has a space before its unit; write it without", shown(text));
  return fmt::format("{} has an unknown unit '{}'; known are {}", shown(text), parts.unit, names_of(units));
}

}  // namespace

Parsed<std::uint64_t> parse_size(std::string_view text) {
  using Result = Parsed<std::uint64_t>;
  const auto parts = split(text);
  if (!parts) return Result::fail(malformed(text, "4KiB"));
  if (parts->unit.empty())
    return Result::fail(fmt::format("{0} has no unit; write {1}B or {1}KiB", shown(text), parts->number));
  const Unit* unit = find_unit(kSizes, parts->unit);
  if (unit == nullptr) {
    if (const char prefix = ambiguous_prefix(parts->unit); prefix != 0) {
      return Result::fail(
          fmt::format("{} is ambiguous; write {}", shown(text), two_candidates(parts->number, prefix, "")));
    }
    return Result::fail(unit_error(*parts, text, kSizes));
  }
  bool whole = true;
  const auto bytes = scale(*parts, unit->factor, whole);
  if (!whole) return Result::fail(fmt::format("{} is not a whole number of bytes", shown(text)));
  if (!bytes) return Result::fail(fmt::format("{} is too large", shown(text)));
  return Result::ok(*bytes);
}

Parsed<Nanoseconds> parse_duration(std::string_view text) {
  using Result = Parsed<Nanoseconds>;
  const auto parts = split(text);
  if (!parts) return Result::fail(malformed(text, "500ms"));
  if (parts->unit.empty())
    return Result::fail(fmt::format("{0} has no unit; write {1}s or {1}ms", shown(text), parts->number));
  const Unit* unit = find_unit(kDurations, parts->unit);
  if (unit == nullptr && parts->unit == "m") {
    return Result::fail(fmt::format("{0} is ambiguous; write {1}min or {1}ms", shown(text), parts->number));
  }
  if (unit == nullptr) return Result::fail(unit_error(*parts, text, kDurations));
  bool whole = true;
  const auto count = scale(*parts, unit->factor, whole);
  if (!whole) return Result::fail(fmt::format("{} is not a whole number of nanoseconds", shown(text)));
  if (!count || *count > static_cast<std::uint64_t>(Nanoseconds::max().count())) {
    return Result::fail(fmt::format("{} is too long", shown(text)));
  }
  return Result::ok(Nanoseconds(static_cast<std::int64_t>(*count)));
}

Parsed<double> parse_bandwidth(std::string_view text) {
  using Result = Parsed<double>;
  const auto parts = split(text);
  if (!parts) return Result::fail(malformed(text, "500MB/s"));
  if (parts->unit.empty()) {
    return Result::fail(fmt::format("{0} has no unit; write {1}MB/s or {1}MiB/s", shown(text), parts->number));
  }
  std::string_view unit = parts->unit;
  const bool per_second = unit.size() > 2 && unit.substr(unit.size() - 2) == "/s";
  if (per_second) unit.remove_suffix(2);
  const Unit* bytes = find_unit(kSizes, unit);
  const Unit* bits = find_unit(kBits, unit);
  if (bytes == nullptr && bits == nullptr) {
    if (const char prefix = ambiguous_prefix(unit); prefix != 0) {
      return Result::fail(
          fmt::format("{} is ambiguous; write {}", shown(text), two_candidates(parts->number, prefix, "/s")));
    }
    return Result::fail(fmt::format("{} is not a bandwidth; known are {} {}, each with /s", shown(text),
                                    names_of(kSizes), names_of(kBits)));
  }
  if (!per_second) return Result::fail(fmt::format("{0} lacks '/s'; write {1}{2}/s", shown(text), parts->number, unit));
  const double number = *parse_number(parts->number);
  if (bits != nullptr) return Result::ok(number * static_cast<double>(bits->factor) / 8);
  return Result::ok(number * static_cast<double>(bytes->factor));
}

Parsed<double> parse_percent(std::string_view text) {
  using Result = Parsed<double>;
  const auto parts = split(text);
  if (!parts) return Result::fail(malformed(text, "95%"));
  if (parts->unit.empty()) {
    const double number = *parse_number(parts->number);
    const std::string share = number > 0 && number < 1 ? fmt::format(" or {:g}%", number * 100) : "";
    return Result::fail(fmt::format("{} has no percent sign; write {}%{}", shown(text), parts->number, share));
  }
  if (parts->unit != "%")
    return Result::fail(fmt::format("{} is not a percentage; write for example 95%", shown(text)));
  return Result::ok(*parse_number(parts->number));
}

Parsed<std::uint64_t> parse_integer(std::string_view text) {
  using Result = Parsed<std::uint64_t>;
  const auto parts = split(text);
  if (!parts || parts->number != parts->whole || !parts->unit.empty()) {
    const bool prefixed =
        text.size() > 2 && text[0] == '0' && std::string_view("xXoObB").find(text[1]) != std::string_view::npos;
    return Result::fail(fmt::format("{} is not a decimal whole number{}", shown(text),
                                    prefixed ? "; octal, binary and hexadecimal are not read" : ""));
  }
  bool whole = true;
  const auto value = scale(*parts, 1, whole);
  if (!value) return Result::fail(fmt::format("{} is too large", shown(text)));
  return Result::ok(*value);
}

Parsed<double> parse_number(std::string_view text) {
  using Result = Parsed<double>;
  const auto parts = split(text);
  if (!parts || !parts->unit.empty()) return Result::fail(fmt::format("{} is not a plain decimal number", shown(text)));
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc{} || end != text.data() + text.size()) {
    return Result::fail(fmt::format("{} is not a plain decimal number", shown(text)));
  }
  return Result::ok(value);
}

}  // namespace diskproof
