// The `abort:` conditions of a phase while it runs: each interval is looked at once, and a condition that held in every
// interval for long enough ends the phase as failed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "metrics/run_data.hpp"
#include "verdict/evaluate.hpp"
#include "verdict/limits.hpp"
#include "verdict/threshold_expr.hpp"
#include "verdict/verdict.hpp"

namespace diskproof {

class AbortWatch {
 public:
  // `evidence` gives the limits and what earlier phases reached; `shape` is the planned load.
  AbortWatch(const std::vector<std::string>& conditions, const Evidence& evidence, const LoadShape& shape);

  // The window starts anew, as the phase is run once more.
  void begin_run();

  // Intervals of the window in order. Without the last one, if it is shorter than the others.
  void add(const Interval& row);

  // Why the phase is to end; empty: it goes on.
  [[nodiscard]] const std::string& verdict() const noexcept { return verdict_; }

  // One per condition, as a test case of the phase. `fault`: why the phase was not measured; empty when it was.
  [[nodiscard]] std::vector<ThresholdResult> results(const std::string& fault) const;

 private:
  struct Watched {
    ThresholdExpr expr;
    std::optional<double> bound;  // absent: it cannot be told, so it never ends the phase
    std::string why_no_bound{};
    bool skipped = false;                 // because the phase of the bound was
    std::uint64_t held = 0, longest = 0;  // ns in a row, up to now and at most
    std::optional<double> last{};         // value of the interval that ended the phase
  };

  std::vector<Watched> watched_;
  std::uint64_t elapsed_ = 0;  // ns of the window
  std::string verdict_;
};

}  // namespace diskproof
