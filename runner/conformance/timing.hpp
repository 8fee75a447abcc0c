// Times that a rule may judge on any machine, however busy: what the machine itself adds is measured, and only what
// happens in every one of several attempts counts.
#pragma once

#include <cstdint>

#include "support/clock.hpp"

namespace diskproof {

inline constexpr std::uint64_t kMillisecond = 1'000'000;  // ns

inline constexpr std::uint64_t kMostSlack = 100 * kMillisecond;

// How much later than asked for the best of several attempts may be: four times what a short sleep overshoots now (the
// median of seven), and 5 ms; at most kMostSlack.
std::uint64_t machine_slack();

void sleep_ns(std::uint64_t ns);

// The shortest time of `body`, in ns, `prepare` not counted; fewer attempts when one is within `bound`.
template <class Prepare, class Body>
std::uint64_t shortest(int attempts, std::uint64_t bound, Prepare&& prepare, Body&& body) {
  std::uint64_t best = ~std::uint64_t{0};
  for (int i = 0; i < attempts && best > bound; ++i) {
    prepare();
    const std::uint64_t begin = monotonic_ns();
    body();
    const std::uint64_t took = monotonic_ns() - begin;
    if (took < best) best = took;
  }
  return best;
}

template <class Body>
std::uint64_t shortest(int attempts, std::uint64_t bound, Body&& body) {
  return shortest(
      attempts, bound, [] {}, body);
}

}  // namespace diskproof
