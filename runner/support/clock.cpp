// Tick arithmetic that is the same on every system.
#include "support/clock.hpp"

namespace diskproof {

namespace {
__extension__ using Wide = unsigned __int128;
}

TickScale TickScale::of(std::uint64_t ticks_per_second) noexcept {
  const Wide multiplier = ((Wide{1'000'000'000} << 32) + ticks_per_second / 2) / ticks_per_second;
  return {ticks_per_second, static_cast<std::uint64_t>(multiplier)};
}

Ticks TickScale::from_ns(std::uint64_t ns) const noexcept {
  return static_cast<Ticks>((Wide{ns} * ticks_per_second + 999'999'999) / 1'000'000'000);
}

}  // namespace diskproof
