// Layout markers: what they vouch for, and what is not believed.
#include "target/marker.hpp"

#include <doctest/doctest.h>
#include <filesystem>

#include "support/error.hpp"
#include "support/temp_folder.hpp"

namespace diskproof {
namespace {

Marker sample_marker(std::uint64_t inode) {
  return {.device = 5,
          .inode = inode,
          .modified = 6,
          .size = 100,
          .seed = 0xFFFF'FFFF'FFFF'FFFF,
          .generation = 3,
          .written = {{0, 50}, {50, 100}}};
}

TEST_CASE("marker: a round trip loses nothing") {
  const TempFolder folder;
  const std::string file = folder.write("f.dat", "content");
  folder.write("f.dat.diskproof", marker_to_text(sample_marker(9)));
  const auto back = load_marker(file);
  REQUIRE(back);
  CHECK(back->device == 5);
  CHECK(back->inode == 9);
  CHECK(back->modified == 6);
  CHECK(back->size == 100);
  CHECK(back->seed == 0xFFFF'FFFF'FFFF'FFFF);
  CHECK(back->generation == 3);
  CHECK(back->written == sample_marker(0).written);
}

TEST_CASE("marker: a file has none, or one that names a device and an inode") {
  const TempFolder folder;
  CHECK_FALSE(load_marker(folder.write("f.dat", "content")));
  CHECK(sample_marker(9).names({.device = 5, .inode = 9, .born = 0}));
  CHECK_FALSE(sample_marker(9).names({.device = 5, .inode = 8, .born = 0}));
  CHECK_FALSE(sample_marker(9).names({.device = 4, .inode = 9, .born = 0}));
}

TEST_CASE("marker: covers from the first byte on") {
  struct Row {
    const char* name;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> written;
    std::uint64_t bytes;
    bool covered;
  };
  for (const Row& row : {Row{"nothing", {}, 1, false},
                         {"exactly", {{0, 100}}, 100, true},
                         {"one byte short", {{0, 99}}, 100, false},
                         {"adjacent", {{0, 50}, {50, 100}}, 100, true},
                         {"a hole", {{0, 50}, {51, 100}}, 100, false},
                         {"not from the start", {{1, 100}}, 100, false}}) {
    CAPTURE(row.name);
    Marker marker;
    marker.written = row.written;
    CHECK(marker.covers(row.bytes) == row.covered);
  }
}

TEST_CASE("marker: what marker_to_text does not write is refused") {
  const std::string good = marker_to_text(sample_marker(7));
  CHECK(marker_from_text(good, "m").inode == 7);
  struct Row {
    const char* name;
    std::string text;
  };
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  for (const Row& row : {Row{"empty", ""},
                         {"not JSON", "{"},
                         {"an array", "[]"},
                         {"other version", with("\"diskproof_marker\":2", "\"diskproof_marker\":1")},
                         {"negative", with("\"inode\":7", "\"inode\":-7")},
                         {"fraction", with("\"inode\":7", "\"inode\":7.5")},
                         {"text", with("\"inode\":7", "\"inode\":\"7\"")},
                         {"missing", with("\"inode\":7,", "")},
                         {"one more", with("\"inode\":7", "\"inode\":7,\"extra\":1")},
                         {"extent behind the end", with("[50,100]", "[50,101]")},
                         {"extents overlap", with("[50,100]", "[49,100]")},
                         {"extent backwards", with("[50,100]", "[100,50]")},
                         {"extent of three", with("[50,100]", "[50,60,100]")}}) {
    CAPTURE(row.name);
    try {
      marker_from_text(row.text, "m");
      FAIL("it was believed");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::refused);
    }
  }
}

}  // namespace
}  // namespace diskproof
