// Stamps: every granule of a write tells what it is, every sector which write it is from, and any changed byte is seen.
#include "integrity/block_stamp.hpp"

#include <doctest/doctest.h>
#include <set>
#include <string>
#include <vector>

using namespace diskproof;

namespace {

constexpr StampKey kKey{11, 22, 2048};

std::vector<std::byte> stamped(std::uint64_t length, std::uint64_t offset, std::uint64_t generation,
                               const StampKey& key = kKey) {
  std::vector<std::byte> data(length);
  stamp_write(data.data(), length, key, 3, offset, generation);
  return data;
}

}  // namespace

TEST_CASE("stamp: each granule of a write has a header of its own with the generation of the write") {
  const auto data = stamped(8192, 1 << 20, 77);
  for (std::uint64_t at = 0; at < data.size(); at += kKey.granule) {
    const auto header = read_header(data.data() + at);
    REQUIRE(header);
    CHECK(header->file == 3);
    CHECK(header->offset == (1 << 20) + at);
    CHECK(header->generation == 77);
    CHECK(header->run == 11);
    CHECK(header->seed == 22);
    CHECK(header->granule == 2048);
    CHECK(checksum_holds(data.data() + at, *header));
  }
}

TEST_CASE("stamp: no byte of a block can change without the checksum or the header telling") {
  const auto good = stamped(2048, 4096, 5);
  for (std::size_t at = 0; at < good.size(); ++at) {
    auto bad = good;
    bad[at] ^= std::byte{0x10};
    const auto header = read_header(bad.data());
    const bool passes = header && header->granule == 2048 && checksum_holds(bad.data(), *header);
    if (passes) FAIL("byte " << at << " changed unseen");
  }
}

TEST_CASE("stamp: every sector behind the first tells its generation and is what is made of it") {
  const auto data = stamped(2048, 4096, 123456789);
  std::vector<std::byte> made(kStampSector);
  for (std::uint64_t at = kStampSector; at < data.size(); at += kStampSector) {
    CHECK(claimed_generation(data.data() + at, kKey, 3, 4096 + at) == 123456789);
    make_sector(made.data(), kKey, 3, 4096 + at, 123456789);
    CHECK(std::equal(made.begin(), made.end(), data.begin() + static_cast<std::ptrdiff_t>(at)));
    CHECK(claimed_generation(data.data() + at, kKey, 3, 8192 + at) != 123456789);  // of another place
  }
}

TEST_CASE("stamp: no two sectors are alike - whatever of place - time and run differs") {
  std::set<std::string> seen;
  const auto add = [&](const std::vector<std::byte>& data) {
    for (std::size_t at = 0; at < data.size(); at += kStampSector) {
      seen.emplace(reinterpret_cast<const char*>(data.data()) + at, kStampSector);
    }
  };
  add(stamped(4096, 0, 1));
  add(stamped(4096, 4096, 1));
  add(stamped(4096, 0, 2));
  add(stamped(4096, 0, 1, {12, 22, 2048}));
  add(stamped(4096, 0, 1, {11, 23, 2048}));
  CHECK(seen.size() == 5 * 4096 / kStampSector);
}

TEST_CASE("stamp: disks and runs have numbers of their own") {
  std::set<std::uint64_t> runs;
  for (const char* run : {"a", "b"}) {
    for (const char* disk : {"a", "b", "ab"}) runs.insert(stamp_run(run, disk));
  }
  CHECK(runs.size() == 6);
}
