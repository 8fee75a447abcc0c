// iocp on real files of Windows: depth, alignment, errors, flushes, and both ways in which a completion comes.
#include <doctest/doctest.h>
#include <map>
#include <vector>

#include <diskproof/windows_file.hpp>

#include "bench.hpp"

using namespace diskproof;
using namespace diskproof::testing;

namespace {

// All of `ios`, in as many calls as it takes; each tag once.
std::map<std::uint32_t, dp_done> run_all(Bench& bench, const std::vector<dp_io>& ios) {
  std::map<std::uint32_t, dp_done> all;
  REQUIRE(bench.submit(ios) == static_cast<std::int32_t>(ios.size()));
  for (int calls = 0; all.size() < ios.size() && calls < 10'000; ++calls) {
    for (const dp_done& done : bench.reap(5, 1, 10'000'000'000)) REQUIRE(all.emplace(done.tag, done).second);
  }
  REQUIRE(all.size() == ios.size());
  return all;
}

Bench::Setup writable(const TempFolder& folder, std::uint32_t depth, std::uint32_t flags, const char* skip = "true") {
  constexpr std::uint64_t kSize = 1 << 20;
  return {.depth = depth,
          .target = {.spec = folder.file("data", kSize), .size = kSize, .flags = DP_TARGET_WRITE | flags},
          .options = {{"skip_on_success", skip}}};
}

}  // namespace

TEST_CASE("iocp: what was written at depth is read back, with and without packets for what ends at once") {
  for (const char* skip : {"true", "false"}) {
    CAPTURE(skip);
    ManualHost host;
    const TempFolder folder;
    constexpr std::uint32_t kDepth = 64;
    Bench bench("iocp", host, writable(folder, kDepth, DP_TARGET_DIRECT, skip));
    std::vector<dp_io> writes, reads;
    for (std::uint32_t tag = 0; tag < kDepth; ++tag) {
      writes.push_back(bench.io(DP_OP_WRITE, tag, tag * 4096));
      reads.push_back(bench.io(DP_OP_READ, tag, tag * 4096));
      std::fill_n(bench.buffer(tag), 4096, static_cast<char>(tag + 1));
    }
    for (const auto& [tag, done] : run_all(bench, writes)) CHECK(done.result == 4096);
    for (std::uint32_t tag = 0; tag < kDepth; ++tag) std::fill_n(bench.buffer(tag), 4096, '\0');
    for (const auto& [tag, done] : run_all(bench, reads)) {
      CHECK(done.result == 4096);
      CHECK(bench.buffer(tag)[4095] == static_cast<char>(tag + 1));
    }
  }
}

TEST_CASE("iocp: past the cache, what is not aligned is refused by the engine itself, and the queue goes on") {
  ManualHost host;
  const TempFolder folder;
  Bench bench("iocp", host, writable(folder, 4, DP_TARGET_DIRECT | DP_TARGET_DSYNC));
  const std::uint32_t sector = bench.queue().target_info(0).offset_alignment;
  REQUIRE(sector >= 512);
  dp_io offset = bench.io(DP_OP_WRITE, 0, sector / 2), length = bench.io(DP_OP_READ, 1);
  dp_io memory = bench.io(DP_OP_WRITE, 2);
  length.length = sector / 2;
  memory.data = bench.buffer(2) + sector / 2;
  memory.length = sector;
  const auto all = run_all(bench, {offset, length, memory, bench.io(DP_OP_WRITE, 3)});
  for (const std::uint32_t tag : {0u, 1u, 2u}) {
    CAPTURE(tag);
    CHECK(all.at(tag).result == -DP_EINVAL);
    CHECK(all.at(tag).os_code == ERROR_INVALID_PARAMETER);
  }
  CHECK(all.at(3).result == 4096);
}

TEST_CASE("iocp: flushes and failures come between reads, each once") {
  ManualHost host;
  const TempFolder folder;
  Bench bench("iocp", host, writable(folder, 4, 0));
  for (int round = 0; round < 50; ++round) {
    const auto all = run_all(bench, {bench.io(DP_OP_READ, 0), bench.io(DP_OP_FSYNC, 1), bench.io(DP_OP_WRITE, 2),
                                     bench.io(DP_OP_FDATASYNC, 3)});
    CHECK(all.at(0).result == 4096);
    CHECK(all.at(1).result == 0);
    CHECK(all.at(2).result == 4096);
    CHECK(all.at(3).result == 0);
  }
  Bench read_only("iocp", host, {.depth = 2, .target = {.spec = folder.file("other", 8192), .size = 8192}});
  const auto all = run_all(read_only, {read_only.io(DP_OP_WRITE, 0), read_only.io(DP_OP_READ, 1)});
  CHECK(all.at(0).result == -DP_EACCES);
  CHECK(all.at(0).os_code == ERROR_ACCESS_DENIED);
  CHECK(all.at(1).result == 4096);
}

TEST_CASE("iocp: trim and zeroing are done or said to be missing, and touch no data beside") {
  ManualHost host;
  const TempFolder folder;
  Bench bench("iocp", host, writable(folder, 2, 0));
  for (const dp_op op : {DP_OP_TRIM, DP_OP_WRITE_ZEROES}) {
    CAPTURE(op);
    const dp_done done = bench.run(bench.io(op, 0, 4096));
    const bool known = done.result == 4096 || done.result == -DP_ENOTSUP;
    CHECK(known);
    CHECK(bench.run(bench.io(DP_OP_READ, 1, 8192)).result == 4096);
    CHECK(bench.buffer(1)[0] == 'x');
  }
}

TEST_CASE("iocp: a target may lie deeper than 260 characters, and has a prefix for that") {
  const std::string deep(300, 'x');
  CHECK(dp::to_windows_path("C:/t/" + deep) == L"\\\\?\\C:\\t\\" + dp::to_utf16(deep));
  CHECK(dp::to_windows_path("\\\\server\\share\\" + deep) == L"\\\\?\\UNC\\server\\share\\" + dp::to_utf16(deep));
  CHECK(dp::to_windows_path("C:/t/a b") == L"C:\\t\\a b");
}

TEST_CASE("iocp: target information tells how completions come") {
  ManualHost host;
  const TempFolder folder;
  Bench by_port("iocp", host, writable(folder, 1, 0, "false"));
  CHECK(std::string(by_port.queue().target_info(0).description) == "completions: by the port");
}
