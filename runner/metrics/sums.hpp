// Adding up what was measured apart: the same for runs that follow each other and for phases side by side.
#pragma once

#include "metrics/run_data.hpp"

namespace diskproof {

// Totals, drain, time in flight, longest stall and CPU time. Rows and windows are laid out by the caller.
void add_amounts(RunData& to, const RunData& from);

}  // namespace diskproof
