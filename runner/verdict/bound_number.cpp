// One parser of support/units per unit.
#include "verdict/bound_number.hpp"

#include <fmt/format.h>

namespace diskproof {
namespace {

template <typename T>
Parsed<double> as_double(const Parsed<T>& parsed) {
  return parsed ? Parsed<double>::ok(static_cast<double>(*parsed)) : Parsed<double>::fail(parsed.error);
}

Parsed<double> nanoseconds(std::string_view text) {
  const auto duration = parse_duration(text);
  if (!duration) return Parsed<double>::fail(duration.error);
  return Parsed<double>::ok(static_cast<double>((*duration).count()));
}

// A share written as a plain number, "0.05", is meant as 5%.
Parsed<double> ratio(std::string_view text) {
  if (const auto share = parse_number(text); share && *share > 0 && *share < 1) {
    return Parsed<double>::fail(fmt::format("'{}' has no percent sign; write {:.10g}%", text, *share * 100));
  }
  const auto percent = parse_percent(text);
  return percent ? Parsed<double>::ok(*percent / 100) : percent;
}

}  // namespace

Parsed<double> parse_bound(std::string_view text, MetricUnit unit) {
  switch (unit) {
    case MetricUnit::count:
      return as_double(parse_integer(text));
    case MetricUnit::bytes:
      return as_double(parse_size(text));
    case MetricUnit::bytes_per_second:
      return parse_bandwidth(text);
    case MetricUnit::per_second:
      return parse_number(text.ends_with("/s") ? text.substr(0, text.size() - 2) : text);
    case MetricUnit::nanoseconds:
      return nanoseconds(text);
    case MetricUnit::ratio:
      return ratio(text);
    case MetricUnit::depth:
      return parse_number(text);
  }
  return Parsed<double>::fail("has no unit");
}

BoundWords bound_words(MetricUnit unit) {
  switch (unit) {
    case MetricUnit::count:
      return {"a count", "0"};
    case MetricUnit::bytes:
      return {"a size", "10GiB"};
    case MetricUnit::bytes_per_second:
      return {"a bandwidth", "500MB/s"};
    case MetricUnit::per_second:
      return {"a number per second", "6000"};
    case MetricUnit::nanoseconds:
      return {"a time", "5ms"};
    case MetricUnit::ratio:
      return {"a share", "5%"};
    case MetricUnit::depth:
      return {"a number of I/Os", "31.5"};
  }
  return {};
}

}  // namespace diskproof
