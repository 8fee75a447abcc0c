// Sums over threads.
#include "integrity/fault_list.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace diskproof {

void add_totals(VerifyTotals& sum, VerifyTotals part) {
  sum.bytes += part.bytes;
  sum.expected += part.expected;
  sum.operations += part.operations;
  for (std::size_t i = 0; i < kFaultClasses; ++i) sum.faulty[i] += part.faulty[i];
  sum.busy += part.busy;
  sum.wall += part.wall;
  std::ranges::move(part.faults, std::back_inserter(sum.faults));
  std::ranges::stable_sort(sum.faults, [](const VerifyFault& left, const VerifyFault& right) {
    return std::tie(left.target, left.offset) < std::tie(right.target, right.offset);
  });
  if (sum.faults.size() > VerifyTotals::kMostFaults) sum.faults.resize(VerifyTotals::kMostFaults);
}

}  // namespace diskproof
