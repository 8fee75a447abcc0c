// The map: what is expected after each order of begun, acknowledged, failed and flushed writes and trims.
#include "integrity/written_map.hpp"

#include <doctest/doctest.h>
#include <fstream>
#include <functional>

#include "support/error.hpp"
#include "support/temp_folder.hpp"

using namespace diskproof;

namespace {

constexpr StampKey kKey{1, 2, 4096};
constexpr std::uint64_t kBlock = 4096;

struct Bed {
  TempFolder folder;
  WrittenMap map{folder.path("map"), kKey, std::vector<std::uint64_t>{64 * kBlock, 16 * kBlock}};
  MapWriter writer{map, 0, 8};

  [[nodiscard]] std::optional<BlockExpectation> at(std::uint64_t block) const {
    return map.expectation(0, block * kBlock);
  }
};

std::string refusal(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::unavailable);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("map: nothing is expected where nothing was acknowledged") {
  Bed bed;
  CHECK_FALSE(bed.at(3));
  bed.writer.begin_write(0, 3 * kBlock, kBlock);
  CHECK_FALSE(bed.at(3));
  bed.writer.withdraw(0);
  CHECK_FALSE(bed.at(3));
}

TEST_CASE("map: a write is expected in all its blocks and in no other") {
  Bed bed;
  const auto generation = bed.writer.begin_write(0, 3 * kBlock, 4 * kBlock);
  bed.writer.acknowledge(0);
  CHECK_FALSE(bed.at(2));
  for (std::uint64_t block = 3; block < 7; ++block) CHECK(bed.at(block) == BlockExpectation{generation, generation});
  CHECK_FALSE(bed.at(7));
  CHECK_FALSE(bed.map.expectation(1, 3 * kBlock));
}

TEST_CASE("map: one after the other supersedes - one beside the other may end in either order") {
  Bed bed;
  const auto first = bed.writer.begin_write(0, 0, kBlock);
  bed.writer.acknowledge(0);
  const auto second = bed.writer.begin_write(0, 0, kBlock);
  bed.writer.acknowledge(0);
  CHECK(bed.at(0) == BlockExpectation{second, second});

  const auto third = bed.writer.begin_write(0, 0, kBlock);
  const auto fourth = bed.writer.begin_write(1, 0, kBlock);
  bed.writer.acknowledge(1);
  CHECK(bed.at(0) == BlockExpectation{.newest = fourth, .oldest = third, .in_doubt = fourth});
  bed.writer.acknowledge(0);
  CHECK(bed.at(0) == BlockExpectation{fourth, third});
  CHECK(first < second);

  const auto fifth = bed.writer.begin_write(0, 0, kBlock);
  bed.writer.acknowledge(0);
  CHECK(bed.at(0) == BlockExpectation{fifth, fifth});
}

TEST_CASE("map: a write in flight leaves the old data acceptable and itself") {
  Bed bed;
  const auto old = bed.writer.begin_write(0, 0, kBlock);
  bed.writer.acknowledge(0);
  const auto fresh = bed.writer.begin_write(1, 0, 2 * kBlock);
  CHECK(bed.at(0) == BlockExpectation{.newest = old, .oldest = old, .in_doubt = fresh});
  CHECK_FALSE(bed.at(1));
}

TEST_CASE("map: after a failed write old and new are acceptable until another is acknowledged") {
  Bed bed;
  const auto old = bed.writer.begin_write(0, 0, kBlock);
  bed.writer.acknowledge(0);
  const auto failed = bed.writer.begin_write(0, 0, kBlock);
  bed.writer.fail(0);
  CHECK(bed.at(0) == BlockExpectation{.newest = old, .oldest = old, .in_doubt = failed});
  const auto fresh = bed.writer.begin_write(0, 0, kBlock);
  bed.writer.acknowledge(0);
  CHECK(bed.at(0) == BlockExpectation{fresh, fresh});

  bed.writer.begin_write(0, 0, kBlock);
  const auto beside = bed.writer.begin_write(1, 0, kBlock);
  bed.writer.fail(0);
  bed.writer.acknowledge(1);
  CHECK(bed.at(0)->in_doubt == beside);  // the failed one may have come later
}

TEST_CASE("map: what a trim covers is not expected - nor what was written at the same time") {
  Bed bed;
  const auto write = [&](std::uint32_t tag) {
    bed.writer.begin_write(tag, 0, kBlock);
    bed.writer.acknowledge(tag);
  };
  write(0);
  bed.writer.begin_trim(1, 0, kBlock);
  CHECK_FALSE(bed.at(0));  // either
  bed.writer.acknowledge(1);
  CHECK_FALSE(bed.at(0));
  write(0);
  CHECK(bed.at(0));

  bed.writer.begin_trim(1, 0, kBlock);
  write(0);
  bed.writer.acknowledge(1);
  CHECK_FALSE(bed.at(0));
  write(0);
  CHECK(bed.at(0));

  bed.writer.begin_trim(1, 0, kBlock);
  bed.writer.fail(1);
  CHECK_FALSE(bed.at(0));
  write(0);
  CHECK(bed.at(0));
}

TEST_CASE("map: a flush covers what was acknowledged before it began and nothing else") {
  Bed bed;
  const auto write = [&](std::uint64_t block) {
    bed.writer.begin_write(0, block * kBlock, kBlock);
    bed.writer.acknowledge(0);
  };
  write(0);
  bed.writer.begin_write(1, kBlock, kBlock);  // in flight when the flush begins
  write(2);
  const std::uint64_t covers = bed.writer.flush_started();
  bed.writer.acknowledge(1);
  write(3);
  CHECK_FALSE(bed.at(0)->flushed);
  bed.writer.flush_done(covers);
  CHECK(bed.at(0)->flushed);
  CHECK_FALSE(bed.at(1)->flushed);
  CHECK_FALSE(bed.at(2)->flushed);  // begun after one that was in flight: not known to be
  CHECK_FALSE(bed.at(3)->flushed);
  bed.writer.flush_done(bed.writer.flush_started());
  for (std::uint64_t block = 0; block < 4; ++block) CHECK(bed.at(block)->flushed);
  write(0);
  CHECK_FALSE(bed.at(0)->flushed);
}

TEST_CASE("map: what is written through is durable at its acknowledgement - and nothing else of the file") {
  Bed bed;
  MapWriter through(bed.map, 0, 2, true);
  const auto write = [](MapWriter& writer, std::uint64_t block) {
    writer.begin_write(0, block * kBlock, kBlock);
    writer.acknowledge(0);
  };
  write(bed.writer, 0);
  write(through, 1);
  CHECK_FALSE(bed.at(0)->flushed);
  CHECK(bed.at(1)->flushed);
  write(bed.writer, 1);  // over it, and not durable
  CHECK_FALSE(bed.at(1)->flushed);
  write(through, 0);
  CHECK(bed.at(0)->flushed);

  bed.writer.begin_write(0, 2 * kBlock, kBlock);
  through.begin_write(0, 2 * kBlock, kBlock);  // at the same time, and newer
  through.acknowledge(0);
  bed.writer.acknowledge(0);
  CHECK(bed.at(2)->flushed);
  through.begin_write(0, 3 * kBlock, kBlock);
  bed.writer.begin_write(0, 3 * kBlock, kBlock);
  bed.writer.acknowledge(0);
  through.acknowledge(0);
  CHECK_FALSE(bed.at(3)->flushed);  // the newer one is not durable
  through.begin_trim(0, kBlock, kBlock);
  through.acknowledge(0);
  CHECK_FALSE(bed.at(1));
}

TEST_CASE("map: an old generation stays acceptable only as long as nothing pauses - and is rounded down") {
  Bed bed;
  std::uint64_t first = 0, last = 0;
  for (int i = 0; i < 100; ++i) {
    last = bed.writer.begin_write(i % 2, 0, kBlock);
    if (i == 0) first = last;
    if (i > 0) bed.writer.acknowledge((i + 1) % 2);
  }
  bed.writer.acknowledge(1);
  REQUIRE(bed.at(0));
  CHECK(bed.at(0)->newest == last);
  CHECK(bed.at(0)->oldest <= first);
  for (std::uint64_t newest : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1000}, kLastGeneration}) {
    for (std::uint64_t back : {0u, 1u, 2u, 3u, 100u}) {
      if (back >= newest) continue;
      const Acknowledged word{newest, newest - back, false, true, false};
      const Acknowledged read = Acknowledged::unpacked(word.packed());
      CHECK(read.newest == newest);
      CHECK(read.oldest <= newest - back);
      CHECK(read.oldest >= 1);
      CHECK(newest - read.oldest <= 2 * back);
      CHECK(read.trimmed);
      CHECK_FALSE(read.in_doubt);
    }
  }
}

TEST_CASE("map: a quiet granule has a word that any write changes") {
  Bed bed;
  CHECK(bed.writer.quiet_word(0) == 0);
  bed.writer.begin_write(0, 0, kBlock);
  CHECK(bed.writer.quiet_word(0) == 0);
  bed.writer.acknowledge(0);
  const auto word = bed.writer.quiet_word(0);
  CHECK(word != 0);
  CHECK(bed.writer.quiet_expectation(word) == *bed.at(0));
  bed.writer.begin_write(0, 0, kBlock);
  CHECK(bed.writer.quiet_word(0) == 0);
  bed.writer.acknowledge(0);
  CHECK(bed.writer.quiet_word(0) != word);
}

TEST_CASE("map: another process finds it as it was left - with its key and generations") {
  Bed bed;
  const auto generation = bed.writer.begin_write(0, 0, kBlock);
  bed.writer.acknowledge(0);
  bed.writer.begin_write(0, kBlock, kBlock);
  const std::vector<std::uint64_t> sizes{64 * kBlock, 16 * kBlock};
  WrittenMap again(bed.folder.path("map"), {99, 99, 4096}, sizes);
  CHECK(again.key().run == 1);
  CHECK(again.key().seed == 2);
  CHECK(again.last_generation() == generation + 1);
  CHECK(again.expectation(0, 0) == BlockExpectation{generation, generation});
  MapWriter writer(again, 1, 1);
  CHECK(writer.begin_write(0, 0, kBlock) == generation + 2);
  const WrittenMap third(bed.folder.path("map"));
  CHECK(third.files() == 2);
  CHECK(third.file_size(1) == 16 * kBlock);
}

TEST_CASE("map: before generations run out no phase writes on - and what was written can still be asked for") {
  Bed bed;
  const auto sizes = std::vector<std::uint64_t>{64 * kBlock, 16 * kBlock};
  const auto go_on = [&] { return refusal([&] { WrittenMap(bed.folder.path("map"), {1, 2, kBlock}, sizes); }); };
  const auto set_newest = [&](std::uint64_t generation) {
    std::fstream file(bed.folder.path("map"), std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(64);
    file.write(reinterpret_cast<const char*>(&generation), sizeof generation);
  };
  set_newest(kLastGeneration / 2);
  CHECK(go_on() == "");
  set_newest(kLastGeneration / 2 + 1);
  CHECK(go_on().find("begin another run") != std::string::npos);
  CHECK(WrittenMap(bed.folder.path("map")).last_generation() == kLastGeneration / 2 + 1);
}

TEST_CASE("map: what does not fit is refused with the reason") {
  Bed bed;
  const auto make = [&](const char* name, std::uint32_t granule, std::vector<std::uint64_t> sizes) {
    return refusal([&] { WrittenMap(bed.folder.path(name), {1, 2, granule}, sizes); });
  };
  CHECK(make("huge", 512, {std::uint64_t{1} << 50}).find("larger blocks") != std::string::npos);
  CHECK(make("huge", 512, {~std::uint64_t{0}, ~std::uint64_t{0}}).find("larger blocks") != std::string::npos);
  CHECK_FALSE(bed.folder.has("huge"));
  CHECK(make("map", 4096, {64 * kBlock}).find("bytes instead of") != std::string::npos);
  CHECK(make("map", 4096, {63 * kBlock, 17 * kBlock}).find("of another disk") != std::string::npos);
  CHECK(refusal([&] { WrittenMap(bed.folder.path("none")); }).find("none") != std::string::npos);
  for (const std::string& text : {std::string("x"), std::string(4096, '\xff'), std::string(4096, '\0')}) {
    bed.folder.write("junk", text);
    CHECK(refusal([&] { WrittenMap(bed.folder.path("junk")); }).find("no map of what was written") !=
          std::string::npos);
  }
}
