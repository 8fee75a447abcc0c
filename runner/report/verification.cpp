// Sums first, then the places.
#include "report/verification.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "report/run_report.hpp"
#include "support/units.hpp"

namespace diskproof {

std::string verification_text(const VerifyTotals& totals) {
  const std::string all = format_bytes(totals.expected);
  std::string text = totals.bytes < totals.expected
                         ? fmt::format("{} of {} are not proved to be as they were written",
                                       format_bytes(totals.expected - totals.bytes), all)
                         : fmt::format("{} of {} are as they were written", format_bytes(totals.bytes), all);
  const char* separator = "; ";
  for (std::size_t i = 0; i < kFaultClasses; ++i) {
    if (totals.faulty[i] == 0) continue;
    text += fmt::format("{}{}: {}", separator, kFaultNames[i], format_bytes(totals.faulty[i]));
    separator = ", ";
  }
  return text;
}

std::string describe(const VerifyFault& fault) {
  return fmt::format("{}: {} at byte {} of {}{}{}", kFaultNames[static_cast<std::size_t>(fault.kind)],
                     format_bytes(fault.length), fault.offset, fault.target, fault.text.empty() ? "" : ": ",
                     fault.text);
}

std::vector<std::string> fault_lines(const PhaseReport& phase, std::size_t most) {
  std::vector<std::string> lines;
  if (!phase.data || !phase.data->verify) return lines;
  const VerifyTotals& totals = *phase.data->verify;
  std::uint64_t listed = 0, all = 0;
  for (std::size_t i = 0; i < std::min(most, totals.faults.size()); ++i) {
    lines.push_back(describe(totals.faults[i]));
    listed += totals.faults[i].length;
  }
  for (const std::uint64_t bytes : totals.faulty) all += bytes;
  if (!lines.empty() && all > listed)
    lines.push_back(fmt::format("{} more are not listed", format_bytes(all - listed)));
  return lines;
}

}  // namespace diskproof
