// The number of a threshold in the unit of its metric, and how to speak of that unit.
#pragma once

#include <string_view>

#include "metrics/names.hpp"
#include "support/units.hpp"

namespace diskproof {

// "6000", "500MB/s", "5ms", "5%" in the unit's base: 1/s, bytes/s, ns, a ratio; or why not.
Parsed<double> parse_bound(std::string_view text, MetricUnit unit);

struct BoundWords {
  std::string_view kind;     // "a bandwidth"
  std::string_view example;  // "500MB/s"
};
BoundWords bound_words(MetricUnit unit);

}  // namespace diskproof
