// What a check decides by itself: everything that was acknowledged as written must be read back as it was written.
#pragma once

#include <optional>
#include <string>

#include "metrics/run_data.hpp"
#include "plan/plan.hpp"
#include "verdict/verdict.hpp"

namespace diskproof {

// A check, or a phase that reads back what it writes.
bool reads_back(const PhasePlan& phase);

// Why a check does not count as one; empty when it does. One that had nothing to check never passes.
std::string fault_of_check(const PhasePlan& phase, const RunData& data);

// The implicit threshold of such a phase. `data` of all its runs; null: none. `why_not`: the phase did not end as
// planned, or was `skipped`.
std::optional<ThresholdResult> verification(const PhasePlan& phase, const RunData* data, const std::string& why_not,
                                            bool skipped);

}  // namespace diskproof
