// The classifier: one row per thing that can be wrong with a block, and per thing that looks wrong and is not.
#include "integrity/block_check.hpp"

#include <algorithm>
#include <cstring>
#include <doctest/doctest.h>
#include <functional>
#include <vector>

using namespace diskproof;

namespace {

constexpr StampKey kKey{0xaaaa, 0xbbbb, 4096};
constexpr std::uint32_t kFile = 2;
constexpr std::uint64_t kOffset = 40960;

using Block = std::vector<std::byte>;

Block stamped(std::uint64_t generation, std::uint64_t offset = kOffset, std::uint32_t file = kFile,
              const StampKey& key = kKey) {
  Block block(key.granule);
  stamp_write(block.data(), block.size(), key, file, offset, generation);
  return block;
}

Block foreign(unsigned char salt) {
  Block block(kKey.granule);
  for (std::size_t i = 0; i < block.size(); ++i) block[i] = static_cast<std::byte>((i * 7 + salt) % 251);
  return block;
}

// The first `sectors` of one, the rest of the other.
Block joined(Block front, const Block& back, std::size_t sectors) {
  std::copy(back.begin() + static_cast<std::ptrdiff_t>(sectors * kStampSector), back.end(),
            front.begin() + static_cast<std::ptrdiff_t>(sectors * kStampSector));
  return front;
}

// What another program writes over [from, from + length).
Block overwritten(Block block, std::size_t from, std::size_t length) {
  const Block other = foreign(9);
  std::copy_n(other.begin(), length, block.begin() + static_cast<std::ptrdiff_t>(from));
  return block;
}

Block flipped(Block block, std::size_t byte) {
  block[byte] ^= std::byte{1};
  return block;
}

struct Row {
  const char* name;
  Block block;
  BlockExpectation expected;
  std::optional<FaultClass> fault;
  std::uint64_t found;
};

void check_rows(const std::vector<Row>& rows) {
  BlockCheck check(kKey);
  for (const Row& row : rows) {
    CAPTURE(std::string(row.name));
    const BlockFinding finding = check.check(row.block.data(), kFile, kOffset, row.expected);
    CHECK(finding.fault == row.fault);
    CHECK(finding.found == row.found);
    if (finding.fault) CHECK_FALSE(describe(finding, kKey, row.expected).empty());
  }
}

}  // namespace

TEST_CASE("block check: what is acknowledged and quiet") {
  const BlockExpectation nine{.newest = 9, .oldest = 9};
  check_rows({
      {"the acknowledged one", stamped(9), nine, {}, 9},
      {"zeros", Block(4096), nine, FaultClass::missing, 0},
      {"data of others", foreign(1), nine, FaultClass::missing, 0},
      {"an older one", stamped(8), nine, FaultClass::stale, 8},
      {"a newer one that nobody wrote", stamped(10), nine, FaultClass::stale, 10},
      {"of the neighbour", stamped(9, kOffset + 4096), nine, FaultClass::misplaced, 9},
      {"of another file", stamped(9, kOffset, kFile + 1), nine, FaultClass::misplaced, 9},
      {"of another run, this place", stamped(9, kOffset, kFile, {1, 2, 4096}), nine, FaultClass::stale, 9},
      {"of another run, another place", stamped(9, 0, kFile, {1, 2, 4096}), nine, FaultClass::misplaced, 9},
      {"a bit in the magic", flipped(stamped(9), 0), nine, FaultClass::corrupt, 9},
      {"a bit in the offset", flipped(stamped(9), 16), nine, FaultClass::corrupt, 9},
      {"a bit in the generation", flipped(stamped(9), 24), nine, FaultClass::corrupt, 9},
      {"a bit in the checksum", flipped(stamped(9), 60), nine, FaultClass::corrupt, 9},
      {"a bit in the first sector", flipped(stamped(9), 300), nine, FaultClass::corrupt, 9},
      {"a bit in a sector's first word", flipped(stamped(9), 1024), nine, FaultClass::corrupt, 9},
      {"a bit in the last sector", flipped(stamped(9), 4095), nine, FaultClass::corrupt, 9},
      {"a bit in an old one", flipped(stamped(8), 2000), nine, FaultClass::corrupt, 8},
      {"the first half over an older one", joined(stamped(9), stamped(8), 4), nine, FaultClass::torn, 8},
      {"the second half over an older one", joined(stamped(8), stamped(9), 4), nine, FaultClass::torn, 8},
      {"all but the last sector over zeros", joined(stamped(9), Block(4096), 7), nine, FaultClass::torn, 9},
      {"the first half over data of others", joined(stamped(9), foreign(3), 4), nine, FaultClass::torn, 9},
      {"the second half over data of others", joined(foreign(3), stamped(9), 4), nine, FaultClass::torn, 9},
      {"two old ones", joined(stamped(7), stamped(8), 3), nine, FaultClass::torn, 7},
      {"others over a few bytes", overwritten(stamped(9), 1000, 8), nine, FaultClass::corrupt, 9},
      {"others over the header", overwritten(stamped(9), 0, 64), nine, FaultClass::corrupt, 9},
      {"others over most of one sector", overwritten(stamped(9), 1024, 500), nine, FaultClass::corrupt, 9},
      {"others over parts of two sectors", overwritten(stamped(9), 1100, 700), nine, FaultClass::corrupt, 9},
      {"others over all but the header", overwritten(stamped(9), 64, 4032), nine, FaultClass::corrupt, 9},
      {"others over all but the last bytes", overwritten(stamped(9), 0, 4088), nine, FaultClass::corrupt, 0},
      {"others over whole sectors", overwritten(stamped(9), 1024, 1024), nine, FaultClass::torn, 9},
  });
}

TEST_CASE("block check: missing and stale are lost after a flush - nothing else is") {
  const BlockExpectation flushed{.newest = 9, .oldest = 9, .flushed = true};
  check_rows({
      {"the acknowledged one", stamped(9), flushed, {}, 9},
      {"zeros", Block(4096), flushed, FaultClass::lost, 0},
      {"an older one", stamped(8), flushed, FaultClass::lost, 8},
      {"of the neighbour", stamped(9, kOffset + 4096), flushed, FaultClass::misplaced, 9},
      {"a bit", flipped(stamped(9), 4000), flushed, FaultClass::corrupt, 9},
      {"half of it", joined(stamped(9), stamped(8), 4), flushed, FaultClass::torn, 8},
  });
}

TEST_CASE("block check: writes that overlapped in time may have ended in either order") {
  const BlockExpectation either{.newest = 9, .oldest = 7};
  check_rows({
      {"the last", stamped(9), either, {}, 9},
      {"the first", stamped(7), either, {}, 7},
      {"one before them", stamped(6), either, FaultClass::stale, 6},
      {"a part of each", joined(stamped(9), stamped(7), 4), either, FaultClass::torn, 7},
  });
}

TEST_CASE("block check: what was in flight at the end may be there - not there - or partly") {
  const BlockExpectation doubt{.newest = 9, .oldest = 9, .in_doubt = 20};
  check_rows({
      {"the acknowledged one", stamped(9), doubt, {}, 9},
      {"one in flight", stamped(12), doubt, {}, 12},
      {"both, by sectors", joined(stamped(12), stamped(9), 1), doubt, {}, 12},
      {"both, the other way", joined(stamped(9), stamped(12), 7), doubt, {}, 12},
      {"an older one", stamped(8), doubt, FaultClass::stale, 8},
      {"one that never began", stamped(21), doubt, FaultClass::stale, 21},
      {"one in flight and an older one", joined(stamped(12), stamped(8), 4), doubt, FaultClass::torn, 8},
      {"one in flight and zeros", joined(stamped(12), Block(4096), 4), doubt, FaultClass::torn, 12},
      {"zeros", Block(4096), doubt, FaultClass::missing, 0},
      {"a bit of what was in flight", flipped(stamped(12), 777), doubt, FaultClass::corrupt, 12},
  });
}

TEST_CASE("block check: a granule of one sector has no parts") {
  const StampKey key{1, 2, 512};
  BlockCheck check(key);
  const BlockExpectation expected{.newest = 3, .oldest = 3};
  const Block good = stamped(3, kOffset, kFile, key);
  CHECK_FALSE(check.check(good.data(), kFile, kOffset, expected).fault);
  for (std::size_t byte : {0u, 9u, 24u, 63u, 64u, 511u}) {
    CAPTURE(byte);
    CHECK(check.check(flipped(good, byte).data(), kFile, kOffset, expected).fault == FaultClass::corrupt);
  }
  CHECK(check.check(Block(512).data(), kFile, kOffset, expected).fault == FaultClass::missing);
}

TEST_CASE("block check: the text says whose data is there") {
  BlockCheck check(kKey);
  const BlockExpectation nine{.newest = 9, .oldest = 9, .flushed = true};
  const Block block = stamped(5, 8192, 1);
  const BlockFinding finding = check.check(block.data(), kFile, kOffset, nine);
  CHECK(describe(finding, kKey, nine) ==
        "holds file 1 offset 8192 generation 5; generation 9 was acknowledged and flushed");
}
