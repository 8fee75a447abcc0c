// Each pace keeps one time: when what it admitted is paid for at its rate. Credits are how far that may lie ahead.
#include "limit.hpp"

#include <algorithm>
#include <limits>

namespace sim {
namespace {

constexpr std::uint64_t kLongest = std::numeric_limits<std::uint64_t>::max() / 4;

bool same(const LimitSpec& a, const LimitSpec& b) noexcept {
  return a.rate == b.rate && a.burst == b.burst && a.credits == b.credits;
}

std::uint64_t ticks_of(std::uint64_t units, std::uint64_t rate, std::uint64_t ticks_per_second) noexcept {
  if (rate == 0 || units == 0) return 0;
  if (units / rate >= kLongest / ticks_per_second) return kLongest;
  const double part = static_cast<double>(units % rate) / static_cast<double>(rate);
  return units / rate * ticks_per_second + static_cast<std::uint64_t>(part * static_cast<double>(ticks_per_second));
}

}  // namespace

Limit::Limit(const LimitSpec& spec, std::uint64_t ticks_per_second) noexcept
    : spec_(spec), ticks_per_second_(ticks_per_second), saved_(ticks_of(spec.credits, spec.rate, ticks_per_second)) {}

void Limit::begin(LimitMemory& memory, std::uint64_t now, std::uint64_t percent) const noexcept {
  if (!same(memory.spec, spec_)) {
    memory = LimitMemory{spec_, {}, {}};
    memory.steady.next = now + (saved_ - saved_ / 100 * percent - saved_ % 100 * percent / 100);
  }
  memory.burst.next = std::min(memory.burst.next, now);
  memory.steady.next = std::min(memory.steady.next, now + saved_);
}

std::uint64_t Limit::limited_start(LimitMemory& memory, std::uint64_t at, std::uint64_t units) const noexcept {
  if (spec_.burst != 0) at = paced(memory.burst, spec_.burst, 0, at, units);
  return paced(memory.steady, spec_.rate, saved_, at, units);
}

std::uint64_t Limit::paced(Pace& pace, std::uint64_t rate, std::uint64_t ahead, std::uint64_t at,
                           std::uint64_t units) const noexcept {
  if (at > pace.next) pace = {at, 0};
  const std::uint64_t begin = pace.next > ahead ? std::max(at, pace.next - ahead) : at;
  pace.remainder += units * ticks_per_second_;  // units <= 1 GiB (a region), so this fits up to 17 GHz
  pace.next += pace.remainder / rate;
  pace.remainder %= rate;
  return begin;
}

}  // namespace sim
