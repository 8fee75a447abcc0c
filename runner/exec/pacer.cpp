// Arithmetic of intended times.
#include "exec/pacer.hpp"

namespace diskproof {

namespace {

__extension__ using Wide = unsigned __int128;

}  // namespace

Pacer::Pacer(const PaceSetup& setup, Ticks go, const TickScale& scale) noexcept {
  // One step of the phase, in 1/2^32 ticks. Plans have no rate below 1/1000 s, so that 64 bits hold a worker's step.
  const double apart = static_cast<double>(scale.ticks_per_second) / setup.rate * 4294967296.0;
  const auto phase_step = static_cast<Wide>(apart);
  const Wide step = phase_step * setup.workers;
  const Wide first = phase_step * setup.worker;
  next_ = go + static_cast<Ticks>(first >> 32);
  fraction_ = static_cast<std::uint32_t>(first);
  step_ = static_cast<Ticks>(step >> 32);
  step_fraction_ = static_cast<std::uint32_t>(step);
}

std::uint64_t Pacer::count_before(Ticks end) const noexcept {
  if (next_ >= end) return 0;
  const Wide left = (Wide{end - next_} << 32) - fraction_;
  const Wide step = (Wide{step_} << 32) + step_fraction_;
  return static_cast<std::uint64_t>((left + step - 1) / step);
}

}  // namespace diskproof
