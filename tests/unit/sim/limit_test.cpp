// Limits and their credits, tick by tick.
#include "sim/limit.hpp"

#include <doctest/doctest.h>
#include <vector>

using namespace sim;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
const LimitSpec kBurst{.rate = 300, .burst = 3000, .credits = 13'500};  // 5 s: 13,500 / (3000 - 300)

// Starts of `count` operations that all wait from `at` on.
std::vector<std::uint64_t> starts(const Limit& limit, LimitMemory& memory, std::uint64_t at, std::size_t count,
                                  std::uint64_t units = 1) {
  std::vector<std::uint64_t> times;
  for (std::size_t i = 0; i < count; ++i) times.push_back(limit.start(memory, at, units));
  return times;
}

std::uint64_t in_second(const std::vector<std::uint64_t>& times, std::uint64_t second) {
  std::uint64_t count = 0;
  for (const std::uint64_t time : times) count += time / kSecond == second ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("sim limit: without a rate nothing waits") {
  LimitMemory memory;
  CHECK(starts(Limit({}, kSecond), memory, 7, 3) == std::vector<std::uint64_t>{7, 7, 7});
}

TEST_CASE("sim limit: credits carry the burst rate for exactly as long as they last") {
  const Limit limit(kBurst, kSecond);
  LimitMemory memory;
  limit.begin(memory, 0, 100);
  const auto times = starts(limit, memory, 0, 15'000 + 900);
  for (std::uint64_t second = 0; second < 5; ++second) {
    CAPTURE(second);
    CHECK(in_second(times, second) == 3000);
  }
  for (std::uint64_t second = 5; second < 8; ++second) {
    CAPTURE(second);
    CHECK(in_second(times, second) == 300);
  }
}

TEST_CASE("sim limit: credits by bytes") {
  const Limit limit({.rate = 100'000'000, .burst = 400'000'000, .credits = 600'000'000}, kSecond);
  LimitMemory memory;
  limit.begin(memory, 0, 100);
  const auto times = starts(limit, memory, 0, 1200, 1'000'000);
  CHECK(in_second(times, 0) == 400);
  CHECK(in_second(times, 1) == 400);
  CHECK(in_second(times, 2) == 100);
  CHECK(in_second(times, 3) == 100);
}

TEST_CASE("sim limit: credits come back at the rate, and no more than there is room for") {
  const Limit limit(kBurst, kSecond);
  LimitMemory memory;
  limit.begin(memory, 0, 100);
  starts(limit, memory, 0, 15'000);  // all spent, at 5 s
  SUBCASE("after 9 s of rest, 2700 are back: one second of burst") {
    const auto times = starts(limit, memory, 14 * kSecond, 3000 + 300);
    CHECK(in_second(times, 14) == 3000);
    CHECK(in_second(times, 15) == 300);
  }
  SUBCASE("after a day it is full: five seconds") {
    const auto times = starts(limit, memory, 86'400 * kSecond, 15'000 + 300);
    CHECK(in_second(times, 86'404) == 3000);
    CHECK(in_second(times, 86'405) == 300);
  }
}

TEST_CASE("sim limit: a bucket that is not full at first") {
  const Limit limit(kBurst, kSecond);
  LimitMemory memory;
  SUBCASE("empty") {
    limit.begin(memory, 0, 0);
    CHECK(in_second(starts(limit, memory, 0, 600), 0) == 300);
  }
  SUBCASE("two fifths") {
    limit.begin(memory, 0, 40);
    const auto times = starts(limit, memory, 0, 7000);
    CHECK(in_second(times, 1) == 3000);
    CHECK(in_second(times, 2) == 300);
  }
}

TEST_CASE("sim limit: what was spent stays spent in the next phase, promised starts are forgotten") {
  const Limit limit(kBurst, kSecond);
  LimitMemory memory;
  limit.begin(memory, 0, 100);
  starts(limit, memory, 0, 15'000);
  limit.begin(memory, 5 * kSecond, 100);
  CHECK(in_second(starts(limit, memory, 5 * kSecond, 600), 5) == 300);
  starts(limit, memory, 5 * kSecond, 100'000);  // minutes ahead, by a phase that was then killed
  limit.begin(memory, 6 * kSecond, 100);
  CHECK(in_second(starts(limit, memory, 6 * kSecond, 600), 6) == 300);
}

TEST_CASE("sim limit: a limit with other numbers starts anew") {
  LimitMemory memory;
  const Limit limit(kBurst, kSecond);
  limit.begin(memory, 0, 100);
  starts(limit, memory, 0, 15'000);
  LimitSpec other = kBurst;
  other.burst = 2000;
  const Limit changed(other, kSecond);
  changed.begin(memory, 5 * kSecond, 100);
  CHECK(in_second(starts(changed, memory, 5 * kSecond, 4000), 5) == 2000);
}

TEST_CASE("sim limit: the largest numbers do not overflow") {
  constexpr std::uint64_t kMost = 1'000'000'000'000;
  constexpr std::uint64_t kClock = 5'000'000'000;
  const Limit slow({.rate = 1, .burst = kMost, .credits = kMost}, kClock);
  LimitMemory memory;
  slow.begin(memory, kClock, 100);
  for (const std::uint64_t time : starts(slow, memory, kClock, 1000)) CHECK(time <= kClock + 5);
  const Limit wide({.rate = kMost, .burst = 0, .credits = 0}, kClock);
  LimitMemory other;
  wide.begin(other, 0, 100);
  CHECK(starts(wide, other, 0, 1001, 1 << 30).back() == 5'368'709'120);  // 1000 GiB at 10^12 bytes/s
}
