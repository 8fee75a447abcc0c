// null: order, cost-free completion, no clock.
#include <doctest/doctest.h>

#include "bench.hpp"

using namespace diskproof;
using namespace diskproof::testing;

TEST_CASE("null: completes in order of submission without waiting") {
  ManualHost host;
  Bench bench("null", host, {.depth = 3});
  REQUIRE(bench.submit({bench.io(DP_OP_READ, 2), bench.io(DP_OP_WRITE, 0), bench.io(DP_OP_FSYNC, 1)}) == 3);
  const auto first = bench.reap(2, 2, 1'000'000);
  REQUIRE(first.size() == 2);
  CHECK(first[0].tag == 2);
  CHECK(first[1].tag == 0);
  const auto second = bench.reap(2, 1, 1'000'000);
  REQUIRE(second.size() == 1);
  CHECK(second[0].tag == 1);
  CHECK(second[0].result == 0);
  CHECK(host.waits() == 0);
  CHECK(second[0].ticks == 0);
}
