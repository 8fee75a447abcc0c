// One threshold, whose bound is measured too.
#include "cli/judge_verify.hpp"

#include <fmt/format.h>
#include <numeric>

#include "report/verification.hpp"
#include "support/units.hpp"

namespace diskproof {
namespace {

std::uint64_t seen(const VerifyTotals& totals) {
  return std::accumulate(totals.faulty.begin(), totals.faulty.end(), totals.bytes);
}

void judge(const VerifyTotals& totals, ThresholdResult& result) {
  result.observed = static_cast<double>(totals.bytes);
  result.bound = static_cast<double>(totals.expected);
  result.outcome = totals.bytes == totals.expected ? Outcome::pass : Outcome::fail;
  result.reason = verification_text(totals);
  if (!totals.faults.empty()) result.reason += "; the first: " + describe(totals.faults.front());
}

}  // namespace

bool reads_back(const PhasePlan& phase) { return phase.kind == PhaseKind::verify || phase.verify.during > 0; }

std::string fault_of_check(const PhasePlan& phase, const RunData& data) {
  if (!reads_back(phase)) return "";
  const bool check = phase.kind == PhaseKind::verify;
  if (!data.verify || (data.verify->expected == 0 && check)) {
    return "nothing was acknowledged as written, so there is nothing to check";
  }
  if (data.verify->expected == 0) {
    return "nothing was read back while it was written; write for longer, or read back a larger share";
  }
  if (seen(*data.verify) >= data.verify->expected) return "";
  return fmt::format("only {} of {} were read back", format_bytes(seen(*data.verify)),
                     format_bytes(data.verify->expected));
}

std::optional<ThresholdResult> verification(const PhasePlan& phase, const RunData* data, const std::string& why_not,
                                            bool skipped) {
  if (!reads_back(phase)) return std::nullopt;
  ThresholdResult result;
  result.check = kVerifiedCheck;
  result.metric = "verify.bytes";
  result.outcome = skipped ? Outcome::skipped : Outcome::error;
  result.reason = why_not;
  if (!why_not.empty()) return result;
  if (data == nullptr || !data->verify) {
    result.reason = "nothing was read back";
    return result;
  }
  judge(*data->verify, result);
  return result;
}

}  // namespace diskproof
