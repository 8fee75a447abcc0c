// Do the numbers of a run agree with each other? What cannot be true at the same time was not measured, whatever the
// thresholds say: the finding books_do_not_balance.
#pragma once

#include <optional>
#include <string>

#include "metrics/phase_metrics.hpp"
#include "metrics/run_data.hpp"

namespace diskproof {

struct BookFault {
  std::string rule;  // "in-flight time", "bandwidth = IOPS x mean block", …
  std::string text;  // with both numbers
};

// The first rule that is broken, or nothing. The rules:
//   samples    each direction's histogram holds as many values as operations succeeded
//   rows       counts, bytes, errors and latency sum of the intervals add up to the whole
//   bandwidth  bandwidth = IOPS x mean block, within 1 %
//   in flight  the integral of I/Os in flight = the I/Os' time inside the window (Little), within 1 %
std::optional<BookFault> check_books(const RunData& data, const PhaseMetrics& metrics);

}  // namespace diskproof
