// The parsers of values that only the job file has. Their texts are never shown: the schema check speaks first.
#include "job/value_reader.hpp"

#include <algorithm>
#include <array>

namespace diskproof {
namespace {

template <typename T>
struct Named {
  std::string_view name;
  T value;
};

template <typename T, std::size_t N>
Parsed<T> find_named(const std::array<Named<T>, N>& names, std::string_view text) {
  for (const auto& [name, value] : names) {
    if (name == text) return Parsed<T>::ok(value);
  }
  return Parsed<T>::fail("is not one of the known words");
}

// A share of the limit, or what `parse` reads.
template <typename Parse>
Parsed<RateValue> parse_rate_value(std::string_view text, Parse parse) {
  using Result = Parsed<RateValue>;
  const bool of_limit = text.ends_with("limit");
  const Parsed<double> value = of_limit ? parse_share_of_limit(text) : parse(text);
  return value ? Result::ok({*value, of_limit}) : Result::fail(value.error);
}

bool same_place(Location a, Location b) { return a.line == b.line && a.column == b.column; }

// The fault is about this key, wherever the key is inherited to.
bool is_about(const Diagnostic& fault, const Entry& entry) {
  if (!same_place(fault.at, entry.key_at) && !same_place(fault.at, entry.value.at)) return false;
  const std::string_view path = fault.path;
  const std::string_view key = entry.key;
  return path.size() >= key.size() && path.substr(path.size() - key.size()) == key;
}

}  // namespace

const Node* MapReader::take(std::string_view key) {
  context_.consumed.insert(child_path(kind_, key));
  const Entry* entry = map_.find(key);
  if (entry == nullptr) return nullptr;
  const auto& faults = context_.schema_faults;
  if (entry->value.unresolved ||
      std::any_of(faults.begin(), faults.end(), [entry](const Diagnostic& one) { return is_about(one, *entry); })) {
    mark_unusable(key);
  }
  return &entry->value;
}

Parsed<std::string> parse_text(std::string_view text) { return Parsed<std::string>::ok(std::string(text)); }

Parsed<bool> parse_boolean(std::string_view text) {
  static constexpr std::array kNames{Named<bool>{"true", true}, Named<bool>{"false", false}};
  return find_named(kNames, text);
}

Parsed<std::uint32_t> parse_small_integer(std::string_view text) {
  using Result = Parsed<std::uint32_t>;
  const auto value = parse_integer(text);
  if (!value) return Result::fail(value.error);
  if (*value > std::numeric_limits<std::uint32_t>::max()) return Result::fail("is too large");
  return Result::ok(static_cast<std::uint32_t>(*value));
}

Parsed<std::uint32_t> parse_batch(std::string_view text) {
  return text == "auto" ? Parsed<std::uint32_t>::ok(0) : parse_small_integer(text);
}

Parsed<Extent> parse_extent(std::string_view text) {
  using Result = Parsed<Extent>;
  if (!text.empty() && text.back() == '%') {
    const auto percent = parse_percent(text);
    return percent ? Result::ok({{}, *percent}) : Result::fail(percent.error);
  }
  const auto bytes = parse_size(text);
  return bytes ? Result::ok({*bytes, {}}) : Result::fail(bytes.error);
}

Parsed<Layout> parse_layout(std::string_view text) {
  static constexpr std::array kNames{Named<Layout>{"written", Layout::written},
                                     Named<Layout>{"allocated", Layout::allocated},
                                     Named<Layout>{"none", Layout::none}};
  return find_named(kNames, text);
}

Parsed<Access> parse_access(std::string_view text) {
  static constexpr std::array kNames{Named<Access>{"sequential", Access::sequential},
                                     Named<Access>{"random", Access::random}};
  return find_named(kNames, text);
}

Parsed<Arrival> parse_arrival(std::string_view text) {
  static constexpr std::array kNames{Named<Arrival>{"constant", Arrival::constant},
                                     Named<Arrival>{"poisson", Arrival::poisson}};
  return find_named(kNames, text);
}

Parsed<Durability> parse_durability(std::string_view text) {
  static constexpr std::array kNames{Named<Durability>{"none", Durability::none},
                                     Named<Durability>{"dsync", Durability::dsync},
                                     Named<Durability>{"sync", Durability::sync}};
  return find_named(kNames, text);
}

Parsed<double> parse_share_of_limit(std::string_view text) {
  constexpr std::string_view kTail = " of limit";
  if (!text.ends_with(kTail))
    return Parsed<double>::fail("is not a share of the limit; write for example 80% of limit");
  return parse_percent(text.substr(0, text.size() - kTail.size()));
}

Parsed<RateValue> parse_rate_iops(std::string_view text) { return parse_rate_value(text, parse_number); }

Parsed<RateValue> parse_rate_bandwidth(std::string_view text) { return parse_rate_value(text, parse_bandwidth); }

Parsed<Severity> parse_severity(std::string_view text) {
  static constexpr std::array kNames{Named<Severity>{"ignore", Severity::ignore},
                                     Named<Severity>{"warn", Severity::warn},
                                     Named<Severity>{"error", Severity::error}};
  return find_named(kNames, text);
}

Parsed<Score> parse_score(std::string_view text) {
  static constexpr std::array kNames{Named<Score>{"median", Score::median}, Named<Score>{"mean", Score::mean},
                                     Named<Score>{"max", Score::max}, Named<Score>{"min", Score::min},
                                     Named<Score>{"best", Score::best}};
  return find_named(kNames, text);
}

}  // namespace diskproof
