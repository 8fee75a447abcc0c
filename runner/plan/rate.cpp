// A share of a limit is of what the planned mix and block size make of the limits.
#include "plan/rate.hpp"

#include "verdict/limits.hpp"

namespace diskproof {

std::optional<double> planned_rate(const Phase& phase) {
  if (!phase.rate) return 0;
  const bool by_bytes = phase.rate->bandwidth.has_value();
  const RateValue wanted = by_bytes ? *phase.rate->bandwidth : phase.rate->iops.value_or(RateValue{});
  double value = wanted.number;
  const double block = mean_block(phase.block_size, phase.block_sizes);
  if (wanted.of_limit) {
    const auto metric = find_metric(by_bytes ? "total.bandwidth" : "total.iops");
    const LoadShape shape = planned_shape(phase.operations, block);
    const auto held = metric ? tightest_limit(phase.limits, *metric, shape) : std::nullopt;
    if (!held) return std::nullopt;
    value *= held->value / 100;
  }
  return by_bytes ? value / block : value;
}

}  // namespace diskproof
