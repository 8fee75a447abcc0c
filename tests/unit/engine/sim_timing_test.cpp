// sim on a manual clock: every time is exact.
#include <algorithm>
#include <doctest/doctest.h>
#include <map>
#include <string>
#include <vector>

#include "bench.hpp"

using namespace diskproof;
using namespace diskproof::testing;

namespace {

using Options = std::map<std::string, std::string>;
constexpr std::uint64_t kSecond = 1'000'000'000;

// Ticks of `count` operations that are submitted together at `start`.
std::vector<std::uint64_t> times(const Options& options, std::uint32_t count, dp_op op = DP_OP_READ,
                                 std::uint64_t start = 0, std::uint64_t ticks_per_second = kSecond) {
  ManualHost host(ticks_per_second);
  host.set(start);
  Bench bench("sim", host, {.depth = count, .options = options});
  std::vector<dp_io> ios;
  for (std::uint32_t tag = 0; tag < count; ++tag) ios.push_back(bench.io(op, tag));
  REQUIRE(bench.submit(ios) == static_cast<std::int32_t>(count));
  std::vector<std::uint64_t> ticks;
  for (const dp_done& done : bench.reap(count, count, 3600 * kSecond)) ticks.push_back(done.ticks);
  REQUIRE(ticks.size() == count);
  CHECK(host.now() == ticks.back());
  return ticks;
}

using Ticks = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("sim: without limits everything takes the service time") {
  CHECK(times({{"service_time", "250000"}}, 3, DP_OP_READ, 1000) == Ticks{251000, 251000, 251000});
  CHECK(times({}, 1) == Ticks{100000});
}

TEST_CASE("sim: parallelism serves so many at once") {
  CHECK(times({{"service_time", "100"}, {"parallelism", "2"}}, 5) == Ticks{100, 100, 200, 200, 300});
  CHECK(times({{"service_time", "100"}, {"parallelism", "1"}}, 3) == Ticks{100, 200, 300});
}

TEST_CASE("sim: an IOPS limit spaces the starts exactly") {
  CHECK(times({{"service_time", "0"}, {"read_iops", "1000"}}, 3) == Ticks{0, 1000000, 2000000});
  CHECK(times({{"service_time", "5"}, {"write_iops", "1000"}}, 2) == Ticks{5, 5});
  CHECK(times({{"service_time", "5"}, {"write_iops", "1000"}}, 2, DP_OP_WRITE) == Ticks{5, 1000005});
  CHECK(times({{"service_time", "0"}, {"total_iops", "500"}, {"read_iops", "1000"}}, 2) == Ticks{0, 2000000});
  CHECK(times({{"service_time", "0"}, {"total_iops", "500"}}, 2, DP_OP_FSYNC) == Ticks{0, 0});
}

TEST_CASE("sim: pacing does not drift where the rate does not divide a second") {
  const auto ticks = times({{"service_time", "0"}, {"total_iops", "3"}}, 7);
  CHECK(ticks == Ticks{0, 333333333, 666666666, 1000000000, 1333333333, 1666666666, 2000000000});
}

TEST_CASE("sim: a bandwidth limit spaces by bytes") {
  CHECK(times({{"service_time", "0"}, {"read_bandwidth", "4096000"}}, 3) == Ticks{0, 1000000, 2000000});
  CHECK(times({{"service_time", "0"}, {"write_bandwidth", "4096000"}}, 2) == Ticks{0, 0});
  CHECK(times({{"service_time", "0"}, {"total_bandwidth", "4096000"}}, 2, DP_OP_TRIM) == Ticks{0, 0});
}

TEST_CASE("sim: durations follow the tick rate of the host") {
  CHECK(times({{"service_time", "1000000"}}, 1, DP_OP_READ, 0, 3'000'000'000) == Ticks{3000000});
  CHECK(times({{"service_time", "0"}, {"read_iops", "1000"}}, 2, DP_OP_READ, 0, 3'000'000'000) == Ticks{0, 3000000});
}

TEST_CASE("sim: the tail operation takes its own time and comes last") {
  ManualHost host;
  Bench bench("sim", host,
              {.depth = 3, .options = {{"service_time", "100"}, {"tail_at", "2"}, {"tail_time", "70000"}}});
  REQUIRE(bench.submit({bench.io(DP_OP_READ, 0), bench.io(DP_OP_READ, 1), bench.io(DP_OP_READ, 2)}) == 3);
  const auto done = bench.reap(3, 3, kSecond);
  REQUIRE(done.size() == 3);
  CHECK(done[0].tag == 0);
  CHECK(done[1].tag == 2);
  CHECK(done[2].tag == 1);
  CHECK(done[2].ticks == 70000);
}

TEST_CASE("sim: reap returns at its timeout and no later") {
  ManualHost host;
  Bench bench("sim", host, {.options = {{"service_time", "5000"}}});
  REQUIRE(bench.submit({bench.io(DP_OP_READ, 0)}) == 1);
  CHECK(bench.reap(1, 0, kSecond).empty());
  CHECK(host.now() == 0);
  CHECK(bench.reap(1, 1, 2000).empty());
  CHECK(host.now() == 2000);
  const auto done = bench.reap(1, 1, 3000);
  REQUIRE(done.size() == 1);
  CHECK(done[0].ticks == 5000);
  CHECK(host.now() == 5000);
}

TEST_CASE("sim: all queues of an engine share one disk") {
  ManualHost host;
  Engine engine(Library::load(built_engine("sim"), host.table()), {{"service_time", "0"}, {"read_iops", "1000"}});
  const QueueSpec spec{.depth = 1, .max_length = 4096, .targets = {{.spec = "virtual", .size = 4096}}, .regions = {}};
  Queue first(engine, spec), second(engine, spec);
  dp_io io{};
  io.length = 4096;
  dp_done done{};
  REQUIRE(first.calls().submit({&io, 1}) == 1);
  REQUIRE(second.calls().submit({&io, 1}) == 1);
  REQUIRE(second.calls().reap({&done, 1}, 1, kSecond) == 1);
  CHECK(done.ticks == 1000000);
  REQUIRE(first.calls().reap({&done, 1}, 1, kSecond) == 1);
  CHECK(done.ticks == 0);
}

TEST_CASE("sim: each other operation in flight adds depth_time") {
  const Options options{{"service_time", "1000"}, {"depth_time", "10"}};
  CHECK(times(options, 4) == Ticks{1000, 1010, 1020, 1030});
  ManualHost host;
  Bench bench("sim", host, {.depth = 2, .options = options});
  REQUIRE(bench.submit({bench.io(DP_OP_READ, 0), bench.io(DP_OP_READ, 1)}) == 2);
  REQUIRE(bench.reap(1, 1, kSecond).size() == 1);  // at 1000; the other ends at 1010
  CHECK(bench.submit({bench.io(DP_OP_READ, 0)}) == 1);
  const auto done = bench.reap(2, 2, kSecond);
  REQUIRE(done.size() == 2);
  CHECK(done[0].ticks == 1010);
  CHECK(done[1].ticks == 2010);
  CHECK(bench.run(bench.io(DP_OP_READ, 0)).ticks == 3010);  // alone again
}

TEST_CASE("sim: cache hits take their own time and pass limits by") {
  CHECK(times({{"cache_hits", "100"}, {"cache_time", "5"}, {"read_iops", "1"}}, 3) == Ticks{5, 5, 5});
  CHECK(times({{"cache_hits", "100"}, {"cache_time", "5"}, {"service_time", "9"}}, 2, DP_OP_WRITE) == Ticks{9, 9});
  CHECK(times({{"cache_hits", "0"}, {"cache_time", "5"}, {"service_time", "9"}}, 2) == Ticks{9, 9});
  const auto ticks = times({{"cache_hits", "80"}, {"cache_time", "5"}, {"service_time", "9"}}, 10'000);
  CHECK(std::count(ticks.begin(), ticks.end(), 5u) == doctest::Approx(8000).epsilon(0.02));
}

TEST_CASE("sim: behind the cliff writes fall to its limits, reads do not") {
  const Options options{{"service_time", "0"}, {"cliff_after", "8192"}, {"cliff_write_iops", "1000"}};
  CHECK(times(options, 5, DP_OP_WRITE) == Ticks{0, 0, 0, 1000000, 2000000});
  CHECK(times(options, 5, DP_OP_READ) == Ticks{0, 0, 0, 0, 0});
  CHECK(times({{"service_time", "0"}, {"cliff_after", "4096"}, {"cliff_write_bandwidth", "4096000"}}, 4, DP_OP_WRITE) ==
        Ticks{0, 0, 1000000, 2000000});
}

TEST_CASE("sim: trimming moves the cliff away again") {
  ManualHost host;
  Bench bench("sim", host, {.options = {{"service_time", "0"}, {"cliff_after", "4096"}, {"cliff_write_iops", "1000"}}});
  CHECK(bench.run(bench.io(DP_OP_WRITE, 0)).ticks == 0);
  CHECK(bench.run(bench.io(DP_OP_WRITE, 0)).ticks == 0);
  CHECK(bench.run(bench.io(DP_OP_WRITE, 0)).ticks == 1000000);
  for (int i = 0; i < 3; ++i) bench.run(bench.io(DP_OP_TRIM, 0));
  CHECK(bench.run(bench.io(DP_OP_WRITE, 0)).ticks == 1000000);
}

TEST_CASE("sim: every Nth operation can be a slow one") {
  CHECK(times({{"service_time", "10"}, {"tail_every", "2"}, {"tail_time", "700"}}, 5) == Ticks{10, 10, 10, 700, 700});
  CHECK(times({{"service_time", "10"}, {"tail_at", "1"}, {"tail_every", "4"}, {"tail_time", "700"}}, 5) ==
        Ticks{10, 10, 10, 700, 700});
}

TEST_CASE("sim: the strictest of several limits holds") {
  CHECK(times({{"service_time", "0"}, {"read_iops", "1000"}, {"read_bandwidth", "2048000"}}, 3) ==
        Ticks{0, 2000000, 4000000});
  CHECK(times({{"service_time", "0"}, {"read_iops", "250"}, {"read_bandwidth", "2048000"}}, 3) ==
        Ticks{0, 4000000, 8000000});
  CHECK(times({{"service_time", "3000000"}, {"parallelism", "1"}, {"read_iops", "1000"}}, 3) ==
        Ticks{3000000, 6000000, 9000000});
}

TEST_CASE("sim: a distribution reaches the operations, the same with the same seed") {
  const Options options{{"service_time", "1000000"}, {"distribution", "uniform"}, {"spread", "500000"}, {"seed", "42"}};
  Options other = options;
  other["seed"] = "43";
  CHECK(times(options, 5) == Ticks{606169, 747462, 787007, 827905, 1391749});
  CHECK(times(other, 5) != times(options, 5));
}
