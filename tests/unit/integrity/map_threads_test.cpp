// Many threads on the same granules: what a sound disk holds is always acceptable, in whatever order writes end.
#include <atomic>
#include <doctest/doctest.h>
#include <thread>

#include "integrity/written_map.hpp"
#include "support/temp_folder.hpp"

using namespace diskproof;

namespace {

constexpr std::uint64_t kBlock = 512;
constexpr std::uint32_t kBlocks = 16;
constexpr std::uint32_t kDepth = 4;

struct Draw {
  std::uint64_t state;
  std::uint64_t operator()(std::uint64_t below) noexcept {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
  }
};

// A disk of one word per block: a write puts its generation there at some time between begin and acknowledgement.
using Disk = std::vector<std::atomic<std::uint64_t>>;

void write_at_random(WrittenMap& map, Disk& disk, std::uint32_t thread, int rounds) {
  MapWriter writer(map, 0, kDepth);
  Draw draw{thread + 1};
  struct Open {
    std::uint64_t generation = 0, first = 0, count = 0;
  } open[kDepth];
  const auto end = [&](std::uint32_t tag) {
    Open& io = open[tag];
    if (io.generation == 0) return;
    for (std::uint64_t i = 0; i < io.count; ++i) disk[io.first + i].store(io.generation);
    writer.acknowledge(tag);
    io = {};
  };
  for (int round = 0; round < rounds; ++round) {
    const auto tag = static_cast<std::uint32_t>(draw(kDepth));
    end(tag);
    const std::uint64_t first = draw(kBlocks);
    const std::uint64_t count = 1 + draw(kBlocks - first);
    open[tag] = {writer.begin_write(tag, first * kBlock, count * kBlock), first, count};
    if (draw(50) == 0) writer.flush_done(writer.flush_started());
  }
  for (std::uint32_t tag = 0; tag < kDepth; ++tag) end(tag);
}

}  // namespace

TEST_CASE("map: threads that write the same granules never make a sound disk look wrong") {
  for (int repeat = 0; repeat < 20; ++repeat) {
    CAPTURE(repeat);
    const TempFolder folder;
    WrittenMap map(folder.path("map"), {1, 2, 512}, std::vector<std::uint64_t>{kBlocks * kBlock});
    Disk disk(kBlocks);
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] { write_at_random(map, disk, i, 500); });
    }
    for (std::thread& thread : threads) thread.join();
    for (std::uint32_t block = 0; block < kBlocks; ++block) {
      const auto expected = map.expectation(0, block * kBlock);
      const std::uint64_t there = disk[block].load();
      REQUIRE(expected.has_value() == (there != 0));
      if (!expected) continue;
      CHECK(expected->oldest <= there);
      CHECK(there <= expected->newest);
      CHECK(expected->in_doubt == 0);
    }
  }
}
