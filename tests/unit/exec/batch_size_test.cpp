#include "exec/batch_size.hpp"

#include <cstdint>
#include <doctest/doctest.h>
#include <functional>
#include <map>

namespace diskproof {

namespace {

// Operations per look that a storage moves when it is given calls of that size.
using Storage = std::function<std::uint32_t(std::uint32_t size)>;

// How often each size was tried in `looks` looks of equal length.
std::map<std::uint32_t, int> sizes_tried(BatchSize batch, int looks, const Storage& storage) {
  std::map<std::uint32_t, int> tried;
  for (int look = 0; look <= looks; ++look) {
    ++tried[batch.submit()];
    batch.reaped(storage(batch.submit()));
    batch.look(static_cast<Ticks>(look + 1) * 1000);
  }
  return tried;
}

std::uint32_t favourite(const std::map<std::uint32_t, int>& tried) {
  std::uint32_t best = 0;
  for (const auto& [size, times] : tried) {
    if (best == 0 || times > tried.at(best)) best = size;
  }
  return best;
}

}  // namespace

TEST_CASE("batch size: a fixed batch never changes, and as many completions are waited for") {
  CHECK(sizes_tried({8, 32}, 100, [](std::uint32_t size) { return size * 10; }) ==
        std::map<std::uint32_t, int>{{8, 101}});
  CHECK(BatchSize(8, 32).reap() == 8);
}

TEST_CASE("batch size: auto spends most of its time at the size that moves most") {
  struct Row {
    const char* storage;
    std::uint32_t depth;
    Storage moves;
    std::uint32_t size;
  };
  const Row rows[] = {
      {"the call costs more than the storage", 32, [](std::uint32_t size) { return 1000 * size / (size + 4); }, 32},
      {"a depth that is no power of two", 10, [](std::uint32_t size) { return 1000 * size / (size + 4); }, 10},
      {"the storage waits while a call is filled", 32, [](std::uint32_t size) { return 1000 - 20 * size; }, 2},
      {"in between", 64, [](std::uint32_t size) { return size <= 8 ? 500 + 40 * size : 820 - 5 * (size - 8); }, 8},
      {"no size is better: small ones keep latency apart", 32, [](std::uint32_t) { return 500U; }, 2},
  };
  for (const Row& row : rows) {
    CAPTURE(row.storage);
    const auto tried = sizes_tried({0, row.depth}, 400, row.moves);
    CHECK(favourite(tried) == row.size);
    CHECK(tried.at(row.size) > 260);
  }
  CHECK(BatchSize(0, 10).reap() == 1);
}

TEST_CASE("batch size: auto follows a storage that changes") {
  int look = 0;
  const auto tried = sizes_tried(
      {0, 32}, 2000, [&](std::uint32_t size) { return ++look < 1000 ? 1000 * size / (size + 4) : 900 - 20 * size; });
  CHECK(tried.at(32) > 700);
  CHECK(tried.at(2) > 700);
}

TEST_CASE("batch size: all storage getting slower is no reason to go elsewhere") {
  int look = 0;
  const auto tried =
      sizes_tried({0, 32}, 1000, [&](std::uint32_t size) { return (1000 * size / (size + 4)) >> (++look / 100); });
  CHECK(tried.at(32) > 700);
}

TEST_CASE("batch size: auto at depth 1 is one") {
  CHECK(sizes_tried({0, 1}, 50, [](std::uint32_t) { return 7U; }) == std::map<std::uint32_t, int>{{1, 51}});
}

}  // namespace diskproof
