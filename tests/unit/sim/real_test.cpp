// The disk's own logarithm and exponential: right, and the same bits everywhere.
#include "sim/real.hpp"

#include <cmath>
#include <doctest/doctest.h>

#include "sim/dice.hpp"

using namespace sim;

TEST_CASE("sim real: the logarithm is right to 1e-14 from the smallest to the largest numbers") {
  const Dice dice(1);
  double worst = 0;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const double x = std::ldexp(1 + dice.unit(Stream::service, i), static_cast<int>(i % 2000) - 1000);
    worst = std::max(worst, std::fabs(natural_log(x) - std::log(x)) / std::fabs(std::log(x)));
  }
  CHECK(worst < 1e-14);
  CHECK(natural_log(1) == 0);
}

TEST_CASE("sim real: the exponential is right to 1e-14, and cut where it would overflow") {
  const Dice dice(2);
  double worst = 0;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const double x = 1400 * dice.unit(Stream::service, i) - 700;
    worst = std::max(worst, std::fabs(exponential(x) / std::exp(x) - 1));
  }
  CHECK(worst < 1e-14);
  CHECK(exponential(0) == 1);
  CHECK(exponential(1e9) == exponential(700));
  CHECK(exponential(-1e9) == exponential(-700));
}

TEST_CASE("sim real: numbers are drawn by their place, evenly, and differ by seed and purpose") {
  const Dice dice(7);
  CHECK(dice.roll(Stream::slow, 5) == Dice(7).roll(Stream::slow, 5));
  CHECK(dice.roll(Stream::slow, 5) != Dice(8).roll(Stream::slow, 5));
  CHECK(dice.roll(Stream::slow, 5) != dice.roll(Stream::cache, 5));
  CHECK(dice.roll(Stream::slow, 5) != dice.roll(Stream::slow, 6));
  CHECK(dice.roll(Stream::slow, 5, 1) != dice.roll(Stream::slow, 6, 0));
  for (std::uint64_t bit = 0; bit < 64; ++bit) {
    CAPTURE(bit);
    int ones = 0;
    for (std::uint64_t i = 0; i < 10'000; ++i) ones += static_cast<int>(dice.roll(Stream::service, i) >> bit & 1);
    CHECK(ones > 4800);  // four standard deviations are 200
    CHECK(ones < 5200);
  }
}
