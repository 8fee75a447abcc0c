// Default times of phases.
#include "plan/timeouts.hpp"

#include <doctest/doctest.h>
#include <limits>
#include <string>

namespace diskproof {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
using Kind = StopRule::Kind;

TEST_CASE("timeouts: default by stop rule") {
  struct Row {
    const char* name;
    StopRule stop;
    std::uint64_t warmup, block, seconds;
  };
  constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
  for (const Row& row : {Row{"duration doubles", {Kind::duration, 30 * kSecond}, 2 * kSecond, 4096, 124},
                         {"bytes at 1 MB/s", {Kind::bytes, kGiB}, 0, 1 << 20, 60 + 1074},
                         {"bytes in small blocks at 20/s", {Kind::bytes, kGiB}, 0, 4096, 60 + 13107},
                         {"operations at 20/s", {Kind::operations, 10'000}, kSecond, 4096, 62 + 500},
                         {"large operations at 1 MB/s", {Kind::operations, 100}, 0, 1 << 20, 60 + 105}}) {
    CAPTURE(row.name);
    CHECK(default_timeout(row.stop, row.warmup, row.block) == row.seconds * kSecond);
  }
}

TEST_CASE("timeouts: a slow rate has twice the time that it takes") {
  CHECK(default_timeout({Kind::operations, 100}, kSecond, 4096, 0.5) == (62 + 400 + 1) * kSecond);
  CHECK(default_timeout({Kind::bytes, 409'600}, 0, 4096, 0.5) == (60 + 400 + 1) * kSecond);
  CHECK(default_timeout({Kind::operations, 100}, 0, 4096, 1e9) == default_timeout({Kind::operations, 100}, 0, 4096));
  CHECK(default_timeout({Kind::duration, kSecond}, 0, 4096, 0.5) == 62 * kSecond);
}

TEST_CASE("timeouts: no stop rule overflows") {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  for (const Kind kind : {Kind::duration, Kind::bytes, Kind::operations}) {
    CAPTURE(static_cast<int>(kind));
    for (const double rate : {0.0, 0.001}) {
      const std::uint64_t timeout = default_timeout({kind, kMost}, kMost, 4096, rate);
      CHECK(timeout >= std::uint64_t{365} * 24 * 3600 * kSecond);
      CHECK(timeout < kMost / 2);
    }
  }
}

TEST_CASE("timeouts: the grid is 100 ms for phases up to 10 s, else 1 s") {
  CHECK(default_grid({Kind::duration, 10 * kSecond}) == kSecond / 10);
  CHECK(default_grid({Kind::duration, 10 * kSecond + 1}) == kSecond);
  CHECK(default_grid({Kind::bytes, 1}) == kSecond);
}

}  // namespace
}  // namespace diskproof
