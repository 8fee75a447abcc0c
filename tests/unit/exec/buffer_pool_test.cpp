// I/O memory: where buffers lie, what is in them.
#include "exec/buffer_pool.hpp"

#include <cstring>
#include <doctest/doctest.h>
#include <set>
#include <vector>

using namespace diskproof;

TEST_CASE("buffer pool: buffers are page-aligned and apart") {
  for (const std::uint64_t length : {1u, 512u, 4096u, 4097u, 1u << 20}) {
    CAPTURE(length);
    BufferPool pool(3, length);
    for (std::uint32_t i = 0; i < 3; ++i) {
      CHECK(reinterpret_cast<std::uintptr_t>(pool.buffer(i)) % 4096 == 0);
      std::memset(pool.buffer(i), static_cast<int>(i), length);
    }
    for (std::uint32_t i = 0; i < 3; ++i) CHECK(pool.buffer(i)[length - 1] == static_cast<std::byte>(i));
  }
}

TEST_CASE("buffer pool: a large arena starts on a huge page, whatever it is backed with") {
  constexpr std::uintptr_t kHuge = 2 << 20;
  struct Row {
    std::uint32_t buffers;
    std::uint64_t length;
  };
  for (const Row& row : {Row{512, 4096}, {3, (1 << 20) + 512}, {1, 64 << 20}}) {
    CAPTURE(row.length);
    BufferPool pool(row.buffers, row.length);
    pool.fill(1);
    CHECK(reinterpret_cast<std::uintptr_t>(pool.buffer(0)) % kHuge == 0);
    std::memset(pool.buffer(row.buffers - 1), 1, row.length);
    const PageKind pages = pool.pages();  // any of them is right somewhere
    CHECK((pages == PageKind::small || pages == PageKind::transparent_huge || pages == PageKind::reserved_huge));
  }
  BufferPool little(4, 4096);
  little.fill(1);
  CHECK(little.pages() == PageKind::small);
}

TEST_CASE("buffer pool: regions hold whole buffers and stay below the contract's limit") {
  struct Row {
    std::uint32_t buffers;
    std::uint64_t length, limit;
    std::vector<std::uint64_t> regions;  // bytes
  };
  const Row rows[] = {{4, 4096, kLargestRegion, {16384}},
                      {4, 4096, 8192, {8192, 8192}},
                      {5, 4096, 8192, {8192, 8192, 4096}},
                      {3, 4096, 4096, {4096, 4096, 4096}},
                      {5, 5000, 20000, {16384, 16384, 8192}}};
  for (const Row& row : rows) {
    CAPTURE(row.buffers);
    CAPTURE(row.limit);
    BufferPool pool(row.buffers, row.length);
    const auto regions = pool.regions(row.limit);
    std::vector<std::uint64_t> sizes;
    for (const dp_region& region : regions) sizes.push_back(region.length);
    CHECK(sizes == row.regions);
    for (std::uint32_t i = 0; i < row.buffers; ++i) {
      CAPTURE(i);
      const dp_region& region = regions.at(i / pool.buffers_per_region(row.limit));
      auto* base = static_cast<std::byte*>(region.base);
      CHECK(pool.buffer(i) >= base);
      CHECK(pool.buffer(i) + row.length <= base + region.length);
    }
  }
}

TEST_CASE("buffer pool: the filling is the seed's, and no two sectors are alike") {
  BufferPool one(2, 65536), same(2, 65536), other(2, 65536);
  one.fill(7);
  same.fill(7);
  other.fill(8);
  CHECK(std::memcmp(one.buffer(0), same.buffer(0), one.size()) == 0);
  CHECK(std::memcmp(one.buffer(0), other.buffer(0), 64) != 0);
  std::set<std::vector<std::byte>> sectors;
  for (std::uint64_t at = 0; at < one.size(); at += kSectorSize)
    sectors.emplace(one.buffer(0) + at, one.buffer(0) + at + kSectorSize);
  CHECK(sectors.size() == one.size() / kSectorSize);
}

TEST_CASE("buffer pool: stamps stay inside the write") {
  std::vector<std::byte> data(2 * kSectorSize + 100, std::byte{0x55});
  stamp_sectors(data.data(), 2 * kSectorSize + 10, 1 << 20, 99);  // the last 10 bytes have no room for a stamp
  for (std::uint64_t sector = 0; sector < 2; ++sector) {
    std::uint64_t stamp[2];
    std::memcpy(stamp, data.data() + sector * kSectorSize, sizeof stamp);
    CHECK(stamp[0] == (1 << 20) + sector * kSectorSize);
    CHECK(stamp[1] == 99);
    CHECK(data[sector * kSectorSize + 16] == std::byte{0x55});
  }
  for (std::size_t at = 2 * kSectorSize; at < data.size(); ++at) CHECK(data[at] == std::byte{0x55});
}
