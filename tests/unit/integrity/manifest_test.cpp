// Manifests: what the map knows comes back, and nothing that is damaged, cut off or made up is believed.
#include "integrity/manifest.hpp"

#include <doctest/doctest.h>
#include <functional>

#include "support/error.hpp"
#include "support/temp_folder.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

using namespace diskproof;

namespace {

constexpr std::uint64_t kBlock = 1024;

struct Bed {
  TempFolder folder;
  WrittenMap map{folder.path("map"), {7, 8, kBlock}, std::vector<std::uint64_t>{100 * kBlock, 10 * kBlock}};
  MapWriter first{map, 0, 4}, second{map, 1, 4};

  std::string write() {
    const ManifestFacts facts{
        .run_id = "run-1", .disk = "data", .phase = "fill", .files = {{"a/t0.dat"}, {"a/t1.dat"}}};
    write_manifest(folder.path("m"), map, facts);
    return folder.path("m");
  }
  static std::uint64_t put(MapWriter& writer, std::uint64_t block, std::uint64_t count) {
    const auto generation = writer.begin_write(0, block * kBlock, count * kBlock);
    writer.acknowledge(0);
    return generation;
  }
};

std::string refusal(const std::string& path) {
  static const TempFolder copies;
  try {
    const Manifest manifest(path, copies.path("copy"));
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::unavailable);
    CHECK(std::string(error.what()).find(path) != std::string::npos);
    return error.what();
  }
  return "";
}

void sign(std::string& text) {
  text.resize(text.size() - 8);
  const std::uint64_t sum = XXH3_64bits(text.data(), text.size());
  text.append(reinterpret_cast<const char*>(&sum), 8);
}

}  // namespace

TEST_CASE("manifest: extents - generations - flushes and doubts come back") {
  Bed bed;
  const auto one = Bed::put(bed.first, 10, 5);
  const auto over = Bed::put(bed.first, 12, 1);
  bed.first.flush_done(bed.first.flush_started());
  const auto late = Bed::put(bed.first, 90, 10);
  const auto other = Bed::put(bed.second, 0, 10);
  const auto open = bed.second.begin_write(1, 3 * kBlock, kBlock);

  const Manifest manifest(bed.write(), bed.folder.path("copy"));
  const ManifestFacts& facts = manifest.facts();
  CHECK(facts.run_id == "run-1");
  CHECK(facts.disk == "data");
  CHECK(facts.phase == "fill");
  CHECK(facts.granule == kBlock);
  CHECK(facts.expected == 25 * kBlock);
  CHECK(facts.run == 7);
  CHECK(facts.seed == 8);
  CHECK(facts.last_generation == open);
  REQUIRE(facts.files.size() == 2);
  CHECK(facts.files[1].path == "a/t1.dat");
  CHECK(facts.files[1].size == 10 * kBlock);

  struct Row {
    std::uint64_t first, count, generation;
    bool flushed, in_doubt;
  };
  const auto check = [&](std::uint32_t file, const std::vector<Row>& rows) {
    const auto extents = manifest.extents_of(file);
    REQUIRE(extents.size() == rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      CAPTURE(i);
      CHECK(extents[i].first == rows[i].first);
      CHECK(extents[i].count == rows[i].count);
      CHECK(manifest.expectation(extents[i]) ==
            BlockExpectation{rows[i].generation, rows[i].generation, rows[i].in_doubt ? open : 0, rows[i].flushed});
    }
  };
  check(
      0,
      {{10, 2, one, true, false}, {12, 1, over, true, false}, {13, 2, one, true, false}, {90, 10, late, false, false}});
  check(1, {{0, 3, other, false, false}, {3, 1, other, false, true}, {4, 6, other, false, false}});
  CHECK(manifest.extents_of(2).empty());
}

TEST_CASE("manifest: of nothing written there is one - and it says so") {
  Bed bed;
  const Manifest manifest(bed.write(), bed.folder.path("copy"));
  CHECK(manifest.facts().expected == 0);
  CHECK(manifest.extents().empty());
}

TEST_CASE("manifest: cut off anywhere or with any byte changed it is refused") {
  Bed bed;
  Bed::put(bed.first, 10, 5);
  Bed::put(bed.second, 1, 2);
  bed.write();
  const std::string good = bed.folder.read("m");
  CHECK(refusal(bed.folder.path("m")).empty());
  for (std::size_t length = 0; length < good.size(); length += 7) {
    if (refusal(bed.folder.write("bad", good.substr(0, length))).empty()) FAIL("cut off at " << length);
  }
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 4);
    if (refusal(bed.folder.write("bad", bad)).empty()) FAIL("byte " << at);
  }
  CHECK(refusal(bed.folder.write("bad", good + "x")) != "");
  CHECK(refusal(bed.folder.path("none")) != "");
  CHECK(refusal(bed.folder.path()) != "");  // a folder
}

TEST_CASE("manifest: a made-up one with a sound checksum is held against itself") {
  Bed bed;
  Bed::put(bed.first, 10, 5);
  Bed::put(bed.first, 20, 5);
  bed.write();
  const std::string good = bed.folder.read("m");
  const auto made_up = [&](const std::function<void(std::string&)>& change) {
    std::string text = good;
    change(text);
    sign(text);
    return refusal(bed.folder.write("bad", text));
  };
  const auto replaced = [&](const std::string& what, const std::string& with) {
    REQUIRE(what.size() == with.size());
    return made_up([&](std::string& text) { text.replace(text.find(what), what.size(), with); });
  };
  const auto extent = [&](std::size_t byte, char value) {
    return made_up([&](std::string& text) { text[text.size() - 8 - 32 + byte] = value; });
  };
  CHECK(made_up([](std::string&) {}).empty());
  CHECK(replaced("manifest 1", "manifest 2").find("another version") != std::string::npos);
  CHECK(replaced("a/t0.dat", "../t.dat").find("leads out") != std::string::npos);
  CHECK(replaced("a/t0.dat", "/etc/pwd").find("leads out") != std::string::npos);
  CHECK(replaced("a/t0.dat", "C:/x.dat").find("leads out") != std::string::npos);
  CHECK(replaced("\"block_size\":1024", "\"block_size\":1000").find("512") != std::string::npos);
  CHECK(replaced("\"expected\":10240", "\"expected\":10241").find("not what its head says") != std::string::npos);
  CHECK(replaced("\"extents\":2", "\"extents\":3").find("cut off") != std::string::npos);
  CHECK(replaced("{\"run_id\"", "[\"run_id\"").find("JSON") != std::string::npos);
  CHECK(replaced("\"files\"", "\"fi1es\"").find("files") != std::string::npos);
  CHECK(made_up([](std::string& text) {  // 512 GB, in as many bytes
          text.replace(text.find("\"data\""), 6, "\"\"");
          text.replace(text.find("\"fill\""), 6, "\"\"");
          text.replace(text.find("\"largest_write\":5120"), 20, "\"largest_write\":512099999999");
        })
            .find("largest_write") != std::string::npos);
  CHECK(extent(0, 99).find("leads out of its file") != std::string::npos);
  CHECK(extent(0, 11).find("out of order") != std::string::npos);
  CHECK(extent(7, 99).find("leads out of its file") != std::string::npos);
  CHECK(extent(8, 0).find("impossible generations") != std::string::npos);
  CHECK(extent(8, 9).find("impossible generations") != std::string::npos);
  CHECK(extent(24, 0).find("out of order") != std::string::npos);
  CHECK(extent(28, 2).find("out of order") != std::string::npos);
  CHECK(extent(30, 8).find("impossible generations") != std::string::npos);
}
