// What the judge says: one result per threshold and per finding, with the numbers that decided it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "verdict/outcome.hpp"

namespace diskproof {

struct ThresholdResult {
  std::string check;               // as the job says it
  std::string metric;              // "read.latency.p99"
  std::optional<double> observed;  // in the metric's unit; absent when it was not measured
  std::optional<double> bound;     // in the metric's unit, after `of limit`
  Outcome outcome = Outcome::error;
  bool warn = false;                        // severity: a failed warn-threshold does not fail the phase
  std::string reason;                       // one line with observed and bound, units and why
  std::string limit_group;                  // which limit held the bound: "", "instance"…; empty without `of limit`
  std::optional<std::string> limit_metric;  // "total.iops" of that group
  std::vector<double> runs;                 // the metric in each run that counts; empty where the phase runs once
};

enum class FindingLevel { none, warn, error };

struct Finding {
  std::string name;  // one of the closed list
  FindingLevel level = FindingLevel::warn;
  std::string text;    // with its numbers
  std::string advice;  // one line
};

}  // namespace diskproof
