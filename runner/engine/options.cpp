// Per type: parse what people write, print what engines read, check the bounds.
#include "engine/options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <limits>
#include <span>

#include "support/near_name.hpp"

namespace diskproof {
namespace {

using Text = Parsed<std::string>;

bool is_bounded(const EngineOption& option) { return option.min != 0 || option.max != 0; }

Text within_bounds(const EngineOption& option, std::int64_t value, std::string_view written) {
  if (is_bounded(option) && (value < option.min || value > option.max))
    return Text::fail(fmt::format("{} is not between {} and {}{}", written, option.min, option.max,
                                  option.type == DP_OPTION_DURATION    ? " ns"
                                  : option.type == DP_OPTION_SIZE      ? " bytes"
                                  : option.type == DP_OPTION_BANDWIDTH ? " bytes/s"
                                                                       : ""));
  return Text::ok(std::to_string(value));
}

Text bounded(const EngineOption& option, std::uint64_t value, std::string_view written) {
  if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    return Text::fail(fmt::format("{} is too large", written));
  return within_bounds(option, static_cast<std::int64_t>(value), written);
}

Text decimal(const EngineOption& option, std::string_view text) {
  const bool negative = option.min < 0 && text.starts_with('-');
  const auto parsed = parse_integer(negative ? text.substr(1) : text);
  if (!parsed) return Text::fail(parsed.error);
  if (!negative) return bounded(option, *parsed, text);
  if (*parsed > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    return Text::fail(fmt::format("{} is too small", text));
  return within_bounds(option, -static_cast<std::int64_t>(*parsed), text);
}

Text bandwidth(const EngineOption& option, std::string_view text) {
  constexpr double kMost = 0x1p62;
  const auto parsed = parse_bandwidth(text);
  if (!parsed) return Text::fail(parsed.error);
  if (*parsed != std::floor(*parsed)) return Text::fail(fmt::format("{} is no whole number of bytes per second", text));
  if (*parsed > kMost) return Text::fail(fmt::format("{} is too large", text));
  return within_bounds(option, static_cast<std::int64_t>(*parsed), text);
}

Text boolean(std::string_view text) {
  if (text == "true" || text == "false") return Text::ok(std::string(text));
  return Text::fail(fmt::format("'{}' is not true or false", text));
}

Text choice(const EngineOption& option, std::string_view text) {
  if (std::find(option.choices.begin(), option.choices.end(), text) != option.choices.end())
    return Text::ok(std::string(text));
  const std::string near = nearest_name(text, option.choices);
  return Text::fail(fmt::format("'{}' is not one of {}{}", text, fmt::join(option.choices, ", "),
                                near.empty() ? "" : fmt::format("; did you mean {}?", near)));
}

Text number(std::string_view text) {
  const auto parsed = parse_number(text);
  return parsed ? Text::ok(std::string(text)) : Text::fail(parsed.error);
}

Text text_value(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return Text::fail("has a NUL character");
  return Text::ok(std::string(text));
}

}  // namespace

Text canonical_value(const EngineOption& option, std::string_view text) {
  switch (option.type) {
    case DP_OPTION_BOOL:
      return boolean(text);
    case DP_OPTION_INTEGER:
      return decimal(option, text);
    case DP_OPTION_SIZE: {
      const auto size = parse_size(text);
      return size ? bounded(option, *size, text) : Text::fail(size.error);
    }
    case DP_OPTION_DURATION: {
      const auto duration = parse_duration(text);
      return duration ? within_bounds(option, (*duration).count(), text) : Text::fail(duration.error);
    }
    case DP_OPTION_BANDWIDTH:
      return bandwidth(option, text);
    case DP_OPTION_NUMBER:
      return number(text);
    case DP_OPTION_ENUM:
      return choice(option, text);
    case DP_OPTION_STRING:
      break;
  }
  return text_value(text);
}

std::string written_value(const EngineOption& option, std::string_view canonical) {
  struct Unit {
    std::int64_t size;
    const char* name;
  };
  static constexpr std::array<Unit, 5> kTimes{
      {{60'000'000'000, "min"}, {1'000'000'000, "s"}, {1'000'000, "ms"}, {1000, "us"}, {1, "ns"}}};
  static constexpr std::array<Unit, 9> kSizes{{{1LL << 40, "TiB"},
                                               {1'000'000'000'000, "TB"},
                                               {1LL << 30, "GiB"},
                                               {1'000'000'000, "GB"},
                                               {1LL << 20, "MiB"},
                                               {1'000'000, "MB"},
                                               {1LL << 10, "KiB"},
                                               {1000, "kB"},
                                               {1, "B"}}};
  std::span<const Unit> units;
  if (option.type == DP_OPTION_DURATION) units = kTimes;
  if (option.type == DP_OPTION_SIZE || option.type == DP_OPTION_BANDWIDTH) units = kSizes;
  std::int64_t value = 0;
  const auto [end, fault] = std::from_chars(canonical.data(), canonical.data() + canonical.size(), value);
  const bool is_number = fault == std::errc{} && end == canonical.data() + canonical.size();
  if (units.empty() || !is_number || value == 0) return std::string(canonical);
  const auto unit = std::find_if(units.begin(), units.end(), [&](const Unit& one) { return value % one.size == 0; });
  return fmt::format("{}{}{}", value / unit->size, unit->name, option.type == DP_OPTION_BANDWIDTH ? "/s" : "");
}

std::string canonical_fault(const EngineOption& option, std::string_view text) {
  const bool units =
      option.type == DP_OPTION_SIZE || option.type == DP_OPTION_DURATION || option.type == DP_OPTION_BANDWIDTH;
  const Text value = units ? decimal(option, text) : canonical_value(option, text);
  if (!value) return value.error;
  return *value == text ? "" : fmt::format("not in its canonical form '{}'", *value);
}

ResolvedOptions resolve_options(const EngineInfo& engine, const std::map<std::string, std::string>& given) {
  ResolvedOptions resolved;
  std::vector<std::string> names;
  for (const EngineOption& option : engine.options) {
    names.push_back(option.name);
    if (option.default_value) resolved.values[option.name] = *option.default_value;
  }
  for (const auto& [key, text] : given) {
    const auto option =
        std::find_if(engine.options.begin(), engine.options.end(),
                     [&wanted = key](const EngineOption& candidate) { return candidate.name == wanted; });
    if (option == engine.options.end()) {
      const std::string near = nearest_name(key, names);
      resolved.faults.push_back({key, fmt::format("engine {} has no option {}", engine.name, key),
                                 !near.empty()   ? fmt::format("did you mean {}?", near)
                                 : names.empty() ? "it has no options at all"
                                                 : fmt::format("it has {}", fmt::join(names, ", "))});
      continue;
    }
    const Text value = canonical_value(*option, text);
    if (value) {
      resolved.values[key] = *value;
    } else {
      resolved.faults.push_back({key, option->secret ? "not a valid value" : value.error, option->help});
    }
  }
  return resolved;
}

}  // namespace diskproof
