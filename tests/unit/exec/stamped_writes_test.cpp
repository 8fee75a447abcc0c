// What a stamping worker tells the map, and what it makes of what it reads back.
#include "exec/stamped_writes.hpp"

#include <doctest/doctest.h>
#include <vector>

#include "support/temp_folder.hpp"

using namespace diskproof;

namespace {

constexpr std::uint32_t kBlock = 512;
constexpr std::uint64_t kBlocks = 64;

struct Bed {
  TempFolder folder;
  WrittenMap map{folder.path("map"), {5, 6, kBlock}, std::vector<std::uint64_t>{kBlocks * kBlock}};
  std::vector<std::byte> memory = std::vector<std::byte>(4 * 8 * kBlock);
  StampedWrites lane;

  explicit Bed(double during = 0) : lane(map, StampSetup{"disk", 0, 4, 8 * kBlock, false, during, 1}) {}

  std::byte* data(std::uint32_t tag) { return memory.data() + tag * 8 * kBlock; }
  void start(std::uint32_t tag, std::uint64_t block, std::uint32_t count, std::uint8_t op = DP_OP_WRITE) {
    lane.starts({block * kBlock, data(tag), count * kBlock, tag, 0, 0, op, 0, 0});
  }
  void fail(std::uint32_t tag) {
    dp_done done{};
    done.tag = tag;
    done.result = -DP_EIO;
    lane.failed(done);
  }
  void write(std::uint64_t block, std::uint32_t count) {
    start(0, block, count);
    lane.succeeded(0);
  }
  [[nodiscard]] std::optional<BlockExpectation> at(std::uint64_t block) const {
    return map.expectation(0, block * kBlock);
  }
};

}  // namespace

TEST_CASE("stamping: what goes to the engine is sound and has the generation that the map has") {
  Bed bed;
  bed.start(2, 8, 4);
  BlockCheck check(bed.map.key());
  bed.lane.succeeded(2);
  for (std::uint64_t i = 0; i < 4; ++i) {
    REQUIRE(bed.at(8 + i));
    CHECK_FALSE(check.check(bed.data(2) + i * kBlock, 0, (8 + i) * kBlock, *bed.at(8 + i)).fault);
  }
}

TEST_CASE("stamping: each end of a write has its place in the map") {
  Bed bed;
  bed.write(0, 4);
  const std::uint64_t old = bed.at(0)->newest;
  bed.start(1, 0, 1);  // in flight at the end
  bed.start(2, 1, 1);
  bed.fail(2);
  bed.start(3, 2, 1);
  bed.lane.withdrawn(3);
  CHECK(bed.at(0)->in_doubt > old);
  CHECK(bed.at(1)->in_doubt > old);
  CHECK(bed.at(2) == BlockExpectation{old, old});
  CHECK(bed.at(3) == BlockExpectation{old, old});
}

TEST_CASE("stamping: a flush covers what was acknowledged when it began - a trim takes out what it covers") {
  Bed bed;
  bed.write(0, 1);
  bed.start(1, 0, 0, DP_OP_FDATASYNC);
  bed.write(1, 1);
  bed.lane.succeeded(1);
  CHECK(bed.at(0)->flushed);
  CHECK_FALSE(bed.at(1)->flushed);
  bed.start(1, 0, 2, DP_OP_TRIM);
  bed.lane.succeeded(1);
  CHECK_FALSE(bed.at(0));
  CHECK_FALSE(bed.at(1));
}

TEST_CASE("stamping: the share that is read back is the share that was asked for") {
  for (const double during : {0.0, 25.0, 100.0}) {
    CAPTURE(during);
    Bed bed(during);
    int extra = 0;
    for (std::uint64_t i = 0; i < 400; ++i) {
      bed.write(i % 8 * 8, 8);
      while (const Operation* read = bed.lane.extra()) {
        ++extra;
        CHECK(read->op == DP_OP_READ);
        CHECK(read->length == 8 * kBlock);
        bed.start(1, read->offset / kBlock, read->length / kBlock, DP_OP_READ);
        stamp_write(bed.data(1), read->length, bed.map.key(), 0, read->offset, bed.at(read->offset / kBlock)->newest);
        bed.lane.succeeded(1);
      }
    }
    CHECK(extra == static_cast<int>(during * 4));
    CHECK(bed.lane.totals.operations == static_cast<std::uint64_t>(extra));
    CHECK(bed.lane.totals.expected == static_cast<std::uint64_t>(extra) * 8 * kBlock);
    CHECK(bed.lane.totals.bytes == bed.lane.totals.expected);
    CHECK(bed.lane.totals.faults.empty());
  }
}

TEST_CASE("stamping: what is being written while it is read back is not judged - the rest of the read is") {
  Bed bed(100);
  bed.write(0, 4);
  const Operation read = *bed.lane.extra();
  bed.start(1, read.offset / kBlock, read.length / kBlock, DP_OP_READ);
  std::fill_n(bed.data(1), 4 * kBlock, std::byte{});
  bed.start(2, 1, 1);  // begins while the read is under way
  bed.start(3, 2, 1);  // begins and ends
  bed.lane.succeeded(3);
  bed.lane.succeeded(1);
  CHECK(bed.lane.totals.operations == 1);
  CHECK(bed.lane.totals.expected == 2 * kBlock);
  CHECK(bed.lane.totals.bytes == 0);
  CHECK(bed.lane.totals.of(FaultClass::missing) == 2 * kBlock);
  REQUIRE(bed.lane.totals.faults.size() == 2);
  CHECK(bed.lane.totals.faults[0].offset == 0);
  CHECK(bed.lane.totals.faults[1].offset == 3 * kBlock);
}
