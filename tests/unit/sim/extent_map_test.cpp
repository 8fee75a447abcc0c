// Pieces of content against a plain array.
#include "sim/extent_map.hpp"

#include <doctest/doctest.h>
#include <string>

#include "sim/dice.hpp"

using namespace sim;

namespace {

std::span<const std::byte> bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string over(const ExtentMap& map, std::uint64_t offset, std::string text) {
  map.lay_over(offset, std::as_writable_bytes(std::span(text)));
  return text;
}

}  // namespace

TEST_CASE("sim extents: later pieces take the place of earlier ones, cut ones are gone") {
  ExtentMap map;
  CHECK(over(map, 0, "....") == "....");
  map.put(2, bytes("abcdef"));
  CHECK(over(map, 0, "..........") == "..abcdef..");
  map.put(4, bytes("XY"));
  CHECK(over(map, 0, "..........") == "..abXYef..");
  CHECK(map.extents().size() == 3);
  map.cut(3, 2);
  CHECK(over(map, 0, "..........") == "..a..Yef..");
  CHECK(over(map, 5, "..") == "Ye");
  map.put(0, bytes("0123456789"));
  CHECK(map.extents().size() == 1);
  map.put(3, {});
  CHECK(map.extents().size() == 1);
}

TEST_CASE("sim extents: any order of puts and cuts leaves what a plain array would hold") {
  const Dice dice(3);
  ExtentMap map;
  std::string plain(64, '.');
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const std::uint64_t offset = dice.pick(Stream::service, i, 60);
    const std::uint64_t length = dice.pick(Stream::slow, i, 64 - offset + 1);
    if (dice.pick(Stream::cache, i, 3) == 0) {
      map.cut(offset, length);
      plain.replace(offset, length, length, '.');
    } else {
      const std::string data(length, static_cast<char>('a' + i % 26));
      map.put(offset, bytes(data));
      plain.replace(offset, length, data);
    }
    REQUIRE(over(map, 0, std::string(64, '.')) == plain);
  }
}
