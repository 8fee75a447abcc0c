// From `rate:` to operations per second.
#pragma once

#include <optional>

#include "job/job.hpp"

namespace diskproof {

// Rates that a plan may have, operations per second; whoever paces relies on them.
inline constexpr double kLowestRate = 0.001;
inline constexpr double kHighestRate = 1e9;

// Operations per second of the whole phase; 0 without `rate`, absent when it is a share of a limit and none applies.
std::optional<double> planned_rate(const Phase& phase);

}  // namespace diskproof
