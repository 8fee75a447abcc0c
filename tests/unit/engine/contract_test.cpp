// The rules of the contract that hold for every engine of this machine, one table row each.
#include <algorithm>
#include <doctest/doctest.h>
#include <numeric>
#include <set>

#include "bench.hpp"

using namespace diskproof;
using namespace diskproof::testing;

namespace {

struct Row {
  const char* name;
  std::uint32_t depth;
  bool on_file;
};
constexpr Row kRows[] = {
    {"null", 1, false}, {"null", 5, false}, {"sync", 1, true}, {"sim", 1, false}, {"sim", 5, false}};
constexpr std::uint64_t kSize = 64 * 4096;

Bench::Setup setup(const Row& row, const TempFolder& folder) {
  TargetSpec target{.spec = "virtual", .size = kSize};
  if (row.on_file) target = {.spec = folder.file("data", kSize), .size = kSize, .flags = DP_TARGET_WRITE};
  return {.depth = row.depth, .target = target};
}

}  // namespace

TEST_CASE("engine contract: every accepted I/O completes exactly once") {
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CAPTURE(row.depth);
    ManualHost host;
    const TempFolder folder;
    Bench bench(row.name, host, setup(row, folder));
    std::set<std::uint32_t> in_flight;
    std::uint32_t accepted = 0, completed = 0;
    for (int round = 0; round < 200; ++round) {
      std::vector<dp_io> ios;
      for (std::uint32_t tag = 0; tag < row.depth; ++tag)
        if (!in_flight.contains(tag))
          ios.push_back(bench.io(round % 3 == 0 ? DP_OP_WRITE : DP_OP_READ, tag, std::uint64_t(round % 64) * 4096));
      const std::int32_t taken = bench.submit(ios);
      REQUIRE(taken >= 0);
      REQUIRE(taken <= static_cast<std::int32_t>(ios.size()));
      for (std::int32_t i = 0; i < taken; ++i) in_flight.insert(ios[static_cast<std::size_t>(i)].tag);
      accepted += static_cast<std::uint32_t>(taken);
      for (const dp_done& done : bench.reap(3, 1, 1'000'000'000)) {
        REQUIRE(in_flight.erase(done.tag) == 1);
        CHECK(done.result == 4096);
        ++completed;
      }
    }
    while (!in_flight.empty())
      for (const dp_done& done : bench.reap(1, 1, 1'000'000'000)) {
        REQUIRE(in_flight.erase(done.tag) == 1);
        ++completed;
      }
    CHECK(accepted >= 200);
    CHECK(completed == accepted);
    CHECK(bench.reap(8, 0, 0).empty());
  }
}

TEST_CASE("engine contract: a full queue takes a prefix") {
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    CAPTURE(row.depth);
    ManualHost host;
    const TempFolder folder;
    Bench bench(row.name, host, setup(row, folder));
    std::vector<dp_io> ios;
    for (std::uint32_t tag = 0; tag < row.depth; ++tag) ios.push_back(bench.io(DP_OP_READ, tag));
    std::vector<dp_io> too_many = ios;
    too_many.push_back(ios.front());
    REQUIRE(bench.submit(too_many) == static_cast<std::int32_t>(row.depth));
    CHECK(bench.submit({ios.front()}) == 0);
    std::set<std::uint32_t> tags;
    while (tags.size() < row.depth)
      for (const dp_done& done : bench.reap(16, 1, 1'000'000'000)) tags.insert(done.tag);
    CHECK(*tags.rbegin() == row.depth - 1);
  }
}

TEST_CASE("engine contract: an empty queue reaps nothing and returns at its timeout") {
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    ManualHost host;
    const TempFolder folder;
    Bench bench(row.name, host, setup(row, folder));
    host.set(1000);
    CHECK(bench.reap(4, 0, 500).empty());
    CHECK(host.now() == 1000);
    CHECK(bench.reap(4, 1, 500).empty());
    CHECK(host.now() == 1500);
  }
}

TEST_CASE("engine contract: every operation of the manifest is served") {
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    ManualHost host;
    const TempFolder folder;
    Bench bench(row.name, host, setup(row, folder));
    for (const dp_op op : {DP_OP_READ, DP_OP_WRITE, DP_OP_TRIM, DP_OP_FSYNC, DP_OP_FDATASYNC, DP_OP_WRITE_ZEROES}) {
      CAPTURE(op);
      const bool optional = op == DP_OP_TRIM || op == DP_OP_WRITE_ZEROES;
      const bool listed = (bench.operations() >> op & 1) != 0;
      CHECK((listed || optional));
      if (!listed) continue;
      const dp_io io = bench.io(op, 0);
      const dp_done done = bench.run(io);
      CHECK(done.tag == 0);
      // A file system may lack zeroing; then the engine says so instead of doing something else.
      if (op == DP_OP_WRITE_ZEROES && done.result == -DP_ENOTSUP) continue;
      CHECK(done.result == static_cast<std::int64_t>(io.length));
    }
  }
}

TEST_CASE("engine contract: the target is described") {
  for (const Row& row : kRows) {
    CAPTURE(row.name);
    ManualHost host;
    const TempFolder folder;
    Bench bench(row.name, host, setup(row, folder));
    CHECK(bench.queue().target_info(0).size == kSize);
  }
}
