// Adding up what was found, with a bounded list of faults.
#pragma once

#include <concepts>

#include "integrity/verify_totals.hpp"

namespace diskproof {

// Counts `fault.length` faulty bytes. What continues the fault noted last becomes part of it; `text()` is asked for
// only where the fault is listed.
template <std::invocable Text>
void note_fault(VerifyTotals& totals, VerifyFault fault, Text text) {
  totals.faulty[static_cast<std::size_t>(fault.kind)] += fault.length;
  if (!totals.faults.empty()) {
    VerifyFault& last = totals.faults.back();
    const bool same_write = last.expected == fault.expected || fault.kind == FaultClass::unreadable;
    if (last.kind == fault.kind && last.offset + last.length == fault.offset && same_write &&
        last.found == fault.found && last.target == fault.target) {
      last.length += fault.length;
      return;
    }
  }
  if (totals.faults.size() == VerifyTotals::kMostFaults) return;
  fault.text = text();
  totals.faults.push_back(std::move(fault));
}

// Adds what another thread found; the faults come into their order, and those beyond the bound are dropped.
void add_totals(VerifyTotals& sum, VerifyTotals part);

}  // namespace diskproof
