// sync on real temporary files: data, short I/O, refusals.
#include <cstring>
#include <doctest/doctest.h>

#include "sync_bench.hpp"

using namespace diskproof;
using namespace diskproof::testing;

TEST_CASE("sync: what was written is read back") {
  ManualHost host;
  const TempFolder folder;
  Bench bench("sync", host, {.target = writable(folder.file("data", 16384), 16384)});
  std::memset(bench.buffer(0), 'w', 4096);
  CHECK(bench.run(bench.io(DP_OP_WRITE, 0, 8192)).result == 4096);
  CHECK(bench.run(bench.io(DP_OP_FSYNC, 0)).result == 0);
  CHECK(bench.run(bench.io(DP_OP_READ, 0, 4096)).result == 4096);
  CHECK(bench.buffer(0)[0] == 'x');
  CHECK(bench.run(bench.io(DP_OP_READ, 0, 8192)).result == 4096);
  CHECK(bench.buffer(0)[0] == 'w');
  CHECK(bench.buffer(0)[4095] == 'w');
}

TEST_CASE("sync: a short read is reported as it is") {
  ManualHost host;
  const TempFolder folder;
  Bench bench("sync", host, {.target = writable(folder.file("data", 5000), 8192)});
  CHECK(bench.run(bench.io(DP_OP_READ, 0, 4096)).result == 904);
  CHECK(bench.run(bench.io(DP_OP_READ, 0, 8192)).result == 0);
}

TEST_CASE("sync: a depth above one is refused") {
  const TempFolder folder;
  CHECK(has(open_failure(writable(folder.file("data", 4096), 4096), 2), "use threads"));
}
