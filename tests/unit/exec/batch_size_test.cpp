#include "exec/batch_size.hpp"

#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

namespace diskproof {

namespace {

std::vector<std::uint32_t> sizes_after(BatchSize batch, const std::vector<bool>& rounds) {
  std::vector<std::uint32_t> sizes{batch.submit()};
  for (const bool whole : rounds) {
    batch.seen(whole);
    sizes.push_back(batch.submit());
  }
  return sizes;
}

}  // namespace

TEST_CASE("batch size: a fixed batch never changes, and as many completions are waited for") {
  CHECK(sizes_after({8, 32}, {true, true, false, false}) == std::vector<std::uint32_t>{8, 8, 8, 8, 8});
  CHECK(BatchSize(8, 32).reap() == 8);
}

TEST_CASE("batch size: auto grows to the depth where rounds complete as a whole, and shrinks to two where not") {
  CHECK(sizes_after({0, 10}, {true, true, true, true}) == std::vector<std::uint32_t>{2, 4, 8, 10, 10});
  CHECK(sizes_after({0, 10}, {true, true, true, false, false, false, false}) ==
        std::vector<std::uint32_t>{2, 4, 8, 10, 5, 2, 2, 2});
  CHECK(BatchSize(0, 10).reap() == 1);
}

TEST_CASE("batch size: auto at depth 1 is one") {
  CHECK(sizes_after({0, 1}, {true, false}) == std::vector<std::uint32_t>{1, 1, 1});
}

}  // namespace diskproof
