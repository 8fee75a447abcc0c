// Whether ticks keep step with the system's clock, on samples that are made up, and on this machine's.
#include "support/clock.hpp"

#include <doctest/doctest.h>

using namespace diskproof;

TEST_CASE("clock: drift is how far ticks go from the system's clock, in parts per million") {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  struct Row {
    const char* name;
    std::uint64_t cycles, ns;  // after the first sample
    double ppm;
  };
  const TickScale scale = TickScale::of(2'400'000'000);
  const ClockSample from{1'000'000, 77 * kSecond};
  for (const Row& row : {Row{"in step", 24 * kSecond, 10 * kSecond, 0},
                         {"one in a thousand fast", 2'402'400'000, kSecond, 1000},
                         {"slow", 2'399'760'000, kSecond, -100},
                         {"stopped while the system's clock ran", 0, kSecond, -1e6},
                         {"twice as fast", 48 * kSecond, 10 * kSecond, 1e6},
                         {"just long enough", 24'000'000, 10'000'000, 0}}) {
    CAPTURE(row.name);
    const auto drift = drift_ppm(scale, from, {from.cycles + row.cycles, from.raw_ns + row.ns});
    REQUIRE(drift);
    CHECK(*drift == doctest::Approx(row.ppm).epsilon(1e-6).scale(1000));
  }
  CHECK(*drift_ppm(scale, from, {400'000, from.raw_ns + kSecond}) < -1e6);  // another counter: it went backwards
}

TEST_CASE("clock: the short way to nanoseconds gives what the long way gives") {
  for (const std::uint64_t rate : {24'000'000ull, 1'000'000'000ull, 2'400'000'001ull, 4'812'345'678ull}) {
    CAPTURE(rate);
    const TickScale scale = TickScale::of(rate);
    for (const Ticks ticks : {0ull, 1ull, 2ull, 999ull, 12'345'678ull, 86'400 * 4'000'000'000ull, (1ull << 56) - 1}) {
      CHECK(scale.span_ns(ticks) == scale.to_ns(ticks));
    }
  }
}

TEST_CASE("clock: within 10 ms nothing is said of drift") {
  const TickScale scale;
  CHECK_FALSE(drift_ppm(scale, {0, 0}, {50'000'000, 9'999'999}));
  CHECK_FALSE(drift_ppm(scale, {0, 100}, {50'000'000, 0}));
}

TEST_CASE("clock: the clock of this machine keeps step with itself") {
  const TickClock clock = TickClock::calibrated(sample_clocks());
  const ClockSample from = sample_clocks();
  clock.wait_until(clock.now() + clock.scale().from_ns(12'000'000));
  const auto drift = drift_ppm(clock.scale(), from, sample_clocks());
  if (!clock.counts_cycles()) return;
  REQUIRE(drift);
  CHECK(*drift < 1000);
  CHECK(*drift > -1000);
}
