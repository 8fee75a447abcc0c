// libaio and io_uring as queues: waiting, prefixes, threads, opening and closing.
#include <cstdint>
#include <set>
#include <thread>

#include "kernel_bench.hpp"

using namespace diskproof;
using namespace diskproof::testing;

namespace {

constexpr std::size_t kSize = 1 << 20;

}  // namespace

TEST_CASE("kernel engines: a reap whose time is over loses nothing in flight") {
  for (const char* engine : kKernelEngines) {
    CAPTURE(engine);
    if (!usable(engine)) continue;
    ManualHost host;
    const TempFolder folder;
    const auto bench = direct_bench(engine, host, folder.file("data", kSize), {.depth = 64, .block = 16384});
    if (!bench) continue;
    std::vector<dp_io> reads;
    for (std::uint32_t tag = 0; tag < 64; ++tag)
      reads.push_back(bench->io(DP_OP_READ, tag, std::uint64_t{tag} * 16384));
    REQUIRE(bench->submit(reads) == 64);
    std::set<std::uint32_t> tags;
    for (const std::uint64_t timeout_ns : {0ull, 1ull, 10'000'000'000ull})
      for (const dp_done& done : bench->reap(64, static_cast<std::uint32_t>(64 - tags.size()), timeout_ns)) {
        CHECK(done.result == 16384);
        CHECK(tags.insert(done.tag).second);
      }
    CHECK(tags.size() == 64);
    CHECK(bench->reap(64, 0, 0).empty());
  }
}

TEST_CASE("kernel engines: reap without min never waits and still starts what was submitted") {
  for (const char* engine : kKernelEngines) {
    CAPTURE(engine);
    if (!usable(engine)) continue;
    ManualHost host;
    const TempFolder folder;
    Bench bench(engine, host, {.depth = 4, .target = writable(folder.file("data", kSize), kSize)});
    REQUIRE(bench.submit({bench.io(DP_OP_READ, 2)}) == 1);
    std::vector<dp_done> done;
    for (int calls = 0; done.empty() && calls < 100'000'000; ++calls) done = bench.reap(4, 0, 0);
    REQUIRE(done.size() == 1);
    CHECK(done.front().tag == 2);
    CHECK(done.front().result == 4096);
    CHECK(host.waits() == 0);
  }
}

TEST_CASE("kernel engines: an empty queue waits by the host's clock") {
  for (const char* engine : kKernelEngines) {
    CAPTURE(engine);
    if (!usable(engine)) continue;
    ManualHost host;
    const TempFolder folder;
    Bench bench(engine, host, {.depth = 4, .target = writable(folder.file("data", kSize), kSize)});
    host.set(1000);
    CHECK(bench.reap(4, 0, 500).empty());
    CHECK(host.now() == 1000);
    CHECK(bench.reap(4, 1, 500).empty());
    CHECK(host.now() == 1500);
  }
}

TEST_CASE("kernel engines: a full queue takes a prefix") {
  for (const char* engine : kKernelEngines) {
    CAPTURE(engine);
    if (!usable(engine)) continue;
    ManualHost host;
    const TempFolder folder;
    Bench bench(engine, host, {.depth = 5, .target = writable(folder.file("data", kSize), kSize)});
    std::vector<dp_io> ios;
    for (std::uint32_t tag = 0; tag < 5; ++tag) ios.push_back(bench.io(DP_OP_READ, tag));
    ios.push_back(ios.front());
    REQUIRE(bench.submit(ios) == 5);
    CHECK(bench.submit({ios.front()}) == 0);
    std::set<std::uint32_t> tags;
    while (tags.size() < 5)
      for (const dp_done& done : bench.reap(16, 1, 1'000'000'000)) CHECK(tags.insert(done.tag).second);
    CHECK(bench.submit({ios.front()}) == 1);
    CHECK(bench.reap(16, 1, 1'000'000'000).size() == 1);
  }
}

TEST_CASE("kernel engines: queues on two threads do not disturb each other") {
  for (const char* name : kKernelEngines) {
    CAPTURE(name);
    if (!usable(name)) continue;
    ManualHost host;
    const TempFolder folder;
    Engine engine(Library::load(built_engine(name), host.table()), {});
    std::array<int, 2> good{};
    const auto work = [&](std::size_t index) {
      const char letter = index == 0 ? 'a' : 'b';
      const std::string path = folder.file(std::string(1, letter), kSize, letter);
      std::vector<char> memory(16 * 4096 + 4096);
      auto* base = reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(memory.data()) + 4095) & ~4095ull);
      Queue queue(engine, {.depth = 16,
                           .max_length = 4096,
                           .targets = {{.spec = path, .size = kSize}},
                           .regions = {{base, 16 * 4096}},
                           .queue_index = static_cast<std::uint32_t>(index)});
      for (std::uint32_t round = 0; round < 500; ++round) {
        std::array<dp_io, 16> ios{};
        for (std::uint32_t tag = 0; tag < 16; ++tag)
          ios[tag] = {(round + tag) % 256 * 4096ull, base + tag * 4096, 4096, tag, 0, 0, DP_OP_READ, 0, 0};
        std::array<dp_done, 16> done{};
        std::int32_t count = queue.calls().submit(ios) == 16 ? 0 : 16;
        while (count < 16) {
          const std::int32_t got = queue.calls().reap(done, 1, 10'000'000'000);
          if (got <= 0) return;
          for (std::int32_t i = 0; i < got; ++i) {
            const dp_done& one = done[static_cast<std::size_t>(i)];
            if (one.result == 4096 && base[one.tag * 4096] == letter) ++good[index];
          }
          count += got;
        }
      }
    };
    std::thread first(work, 0), second(work, 1);
    first.join();
    second.join();
    CHECK(good[0] == 8000);
    CHECK(good[1] == 8000);
  }
}

TEST_CASE("kernel engines: 25 times opened and closed leave no descriptor behind") {
  for (const char* engine : kKernelEngines) {
    CAPTURE(engine);
    if (!usable(engine)) continue;
    const TempFolder folder;
    const std::string path = folder.file("data", kSize);
    const std::size_t before = open_descriptors();
    for (int round = 0; round < 25; ++round) {
      ManualHost host;
      Bench bench(engine, host, {.depth = 32, .target = writable(path, kSize)});
      REQUIRE(bench.run(bench.io(DP_OP_READ, 0)).result == 4096);
      if (round % 50 == 0)
        CHECK(has(open_failure(engine, {.target = {.spec = folder.path().string(), .size = 1}}), "neither"));
    }
    CHECK(open_descriptors() == before);
  }
}
