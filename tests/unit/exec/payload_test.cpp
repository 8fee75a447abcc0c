// What written blocks hold: how far they compress and how many are alike, counted and with a real compressor.
#include "exec/payload.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <doctest/doctest.h>
#include <map>
#include <string>
#include <vector>

#include "exec/buffer_pool.hpp"

#ifdef DISKPROOF_ZLIB
#include <zlib.h>
#endif

namespace diskproof {
namespace {

constexpr std::uint64_t kBlock = 4096;

// `count` writes of a worker as a phase makes them.
std::vector<std::string> written(const DataShape& shape, int count, std::uint64_t worker = 0) {
  BufferPool buffers(4, kBlock);
  Payload payload({shape, kBlock, 5, 6 + worker});
  std::vector<std::string> blocks;
  for (int i = 0; i < count; ++i) {
    std::byte* const data = buffers.buffer(static_cast<std::uint32_t>(i % 4));
    const auto number = static_cast<std::uint64_t>(i);
    payload.prepare(data, kBlock, number * kBlock, worker << 48 | number);
    blocks.emplace_back(reinterpret_cast<const char*>(data), kBlock);
  }
  return blocks;
}

double share_of_zeros(const std::vector<std::string>& blocks) {
  double zeros = 0;
  for (const std::string& block : blocks) zeros += static_cast<double>(std::count(block.begin(), block.end(), '\0'));
  return zeros / static_cast<double>(kBlock * blocks.size());
}

}  // namespace

TEST_CASE("payload: the compressible share is zeros, in every sector alike") {
  for (const double percent : {10.0, 50.0, 90.0, 100.0}) {
    CAPTURE(percent);
    const auto blocks = written({percent, 0}, 8);
    CHECK(share_of_zeros(blocks) == doctest::Approx(percent / 100).epsilon(0.05));
    for (std::size_t at = 0; at < kBlock; at += kSectorSize) {
      const std::string tail = blocks[0].substr(at + kSectorSize - 5, 5);
      CHECK(tail == std::string(5, '\0'));
    }
  }
}

TEST_CASE("payload: no two sectors are alike where they only compress") {
  for (const double compressible : {1.0, 50.0, 95.0}) {
    CAPTURE(compressible);
    std::map<std::string, int> sectors;
    const auto blocks = written({compressible, 0}, 64);
    for (const std::string& block : blocks) {
      for (std::size_t at = 0; at < kBlock; at += kSectorSize) ++sectors[block.substr(at, kSectorSize)];
    }
    CHECK(sectors.size() == 64 * kBlock / kSectorSize);
  }
}

TEST_CASE("payload: sectors carry their offset and sequence number where there is room, and only there") {
  for (const double compressible : {50.0, 96.0}) {
    const std::string block = written({compressible, 0}, 3).back();
    std::uint64_t stamp[2];
    std::memcpy(stamp, block.data() + kSectorSize, sizeof stamp);
    CHECK(stamp[0] == 2 * kBlock + kSectorSize);
    CHECK(stamp[1] == 2);
  }
  CHECK(share_of_zeros(written({100, 0}, 8)) == 1.0);
}

TEST_CASE("payload: the share that dedupes is of a few blocks, which all threads repeat") {
  constexpr int kCount = 20'000;
  std::map<std::string, int> seen;
  for (const std::uint64_t worker : {0u, 1u}) {
    for (const std::string& block : written({0, 30}, kCount, worker)) ++seen[block];
  }
  int repeated = 0;
  std::size_t kinds = 0;
  for (const auto& [block, times] : seen) {
    if (times == 1) continue;
    repeated += times;
    ++kinds;
  }
  CHECK(kinds == kRepeatedBlocks);
  CHECK(repeated == doctest::Approx(0.3 * 2 * kCount).epsilon(0.02));
  CHECK(seen.size() == 2 * kCount - static_cast<std::size_t>(repeated) + kRepeatedBlocks);
}

TEST_CASE("payload: repeated blocks compress like the others") {
  CHECK(share_of_zeros(written({50, 100}, 100)) == doctest::Approx(0.5).epsilon(0.05));
}

#ifdef DISKPROOF_ZLIB
TEST_CASE("payload: a real compressor reaches the share that was asked for") {
  for (const double percent : {5.0, 25.0, 50.0, 75.0, 95.0}) {
    CAPTURE(percent);
    std::string all;
    for (const std::string& block : written({percent, 0}, 256)) all += block;
    std::vector<Bytef> packed(compressBound(all.size()));
    uLongf size = packed.size();
    REQUIRE(compress(packed.data(), &size, reinterpret_cast<const Bytef*>(all.data()), all.size()) == Z_OK);
    const double saved = 100 - 100 * static_cast<double>(size) / static_cast<double>(all.size());
    CHECK(std::abs(saved - percent) < 4);
  }
}
#endif

}  // namespace diskproof
