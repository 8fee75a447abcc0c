// libaio and io_uring on real temporary files: the same data and errors from both.
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <numeric>
#include <random>

#include "kernel_bench.hpp"

using namespace diskproof;
using namespace diskproof::testing;

namespace {

constexpr std::size_t kSize = 1 << 20;

void fill(char* to, std::size_t length, std::uint32_t seed) {
  std::mt19937 random(seed);
  for (std::size_t i = 0; i < length; ++i) to[i] = static_cast<char>(random());
}

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("kernel engines: buffered data at odd sizes and offsets arrives where it should") {
  for (const char* engine : kKernelEngines) {
    CAPTURE(engine);
    if (!usable(engine)) continue;
    ManualHost host;
    const TempFolder folder;
    const std::string path = folder.file("data", kSize);
    std::string expected = content(path);
    Bench bench(engine, host, {.depth = 8, .target = writable(path, kSize), .block = 16384});
    std::uint64_t offset = 1;
    for (std::uint32_t round = 0; round < 8; ++round) {
      std::vector<dp_io> writes, reads;
      for (std::uint32_t tag = 0; tag < 8; ++tag) {
        dp_io io = bench.io(DP_OP_WRITE, tag, offset);
        io.length = 1 + (round * 8 + tag) * 251;
        fill(bench.buffer(tag), io.length, round * 8 + tag);
        expected.replace(offset, io.length, bench.buffer(tag), io.length);
        offset += io.length + 7;
        writes.push_back(io);
      }
      for (const auto& [tag, done] : run_all(bench, writes)) CHECK(done.result == writes[tag].length);
      for (dp_io io : writes) {
        std::memset(bench.buffer(io.tag), 0, 16384);
        io.op = DP_OP_READ;
        reads.push_back(io);
      }
      for (const auto& [tag, done] : run_all(bench, reads)) {
        CHECK(done.result == reads[tag].length);
        CHECK(std::memcmp(bench.buffer(tag), expected.data() + reads[tag].offset, reads[tag].length) == 0);
      }
    }
    CHECK(content(path) == expected);
  }
}

TEST_CASE("kernel engines: direct I/O at depth 64 in random order moves every block once") {
  for (const char* engine : kKernelEngines) {
    CAPTURE(engine);
    if (!usable(engine)) continue;
    ManualHost host;
    const TempFolder folder;
    const std::string path = folder.file("data", kSize);
    const auto bench = direct_bench(engine, host, path, {.depth = 64, .block = 4096});
    if (!bench) continue;
    std::vector<std::uint32_t> blocks(kSize / 4096);
    std::iota(blocks.begin(), blocks.end(), 0u);
    std::shuffle(blocks.begin(), blocks.end(), std::mt19937(1));
    for (std::size_t first = 0; first < blocks.size(); first += 64) {
      std::vector<dp_io> writes;
      for (std::uint32_t tag = 0; tag < 64; ++tag) {
        fill(bench->buffer(tag), 4096, blocks[first + tag]);
        writes.push_back(bench->io(DP_OP_WRITE, tag, std::uint64_t{blocks[first + tag]} * 4096));
      }
      for (const auto& [tag, done] : run_all(*bench, writes)) CHECK(done.result == 4096);
    }
    CHECK(bench->run(bench->io(DP_OP_FDATASYNC, 0)).result == 0);
    const std::string found = content(path);
    std::string block(4096, '\0');
    for (std::uint32_t i = 0; i < blocks.size(); ++i) {
      fill(block.data(), 4096, i);
      CHECK(found.compare(std::size_t{i} * 4096, 4096, block) == 0);
    }
  }
}

TEST_CASE("kernel engines: a bad I/O completes with its error among good ones") {
  for (const char* engine : kKernelEngines) {
    CAPTURE(engine);
    if (!usable(engine)) continue;
    ManualHost host;
    const TempFolder folder;
    Bench bench(engine, host, {.depth = 8, .target = {.spec = folder.file("data", kSize), .size = kSize}});
    std::vector<dp_io> ios;
    for (std::uint32_t tag = 0; tag < 8; ++tag) ios.push_back(bench.io(DP_OP_READ, tag));
    ios[0].op = ios[3].op = DP_OP_WRITE;  // the file is open for reading
    ios[1].op = 77;
    ios[4].target = 9;
    ios[7].op = DP_OP_WRITE;
    auto done = run_all(bench, ios);
    for (const std::uint32_t tag : {0u, 3u, 7u}) {
      CHECK(done[tag].result == -DP_EACCES);
      CHECK(done[tag].os_code == EBADF);
    }
    CHECK((done[1].result == -DP_EINVAL || done[1].result == -DP_ENOTSUP));
    CHECK(done[4].result == -DP_EINVAL);
    for (const std::uint32_t tag : {2u, 5u, 6u}) CHECK(done[tag].result == 4096);
    CHECK(bench.run(bench.io(DP_OP_READ, 0)).result == 4096);
  }
}

TEST_CASE("kernel engines: misaligned direct I/O is an invalid argument of that I/O only") {
  for (const char* engine : kKernelEngines) {
    CAPTURE(engine);
    if (!usable(engine)) continue;
    ManualHost host;
    const TempFolder folder;
    const auto bench = direct_bench(engine, host, folder.file("data", kSize), {.depth = 4});
    if (!bench) continue;
    if (bench->queue().target_info(0).offset_alignment < 2) {
      MESSAGE("skipped: direct I/O of the temporary folder's file system needs no alignment");
      continue;
    }
    std::vector<dp_io> ios{bench->io(DP_OP_READ, 0, 1), bench->io(DP_OP_READ, 1), bench->io(DP_OP_READ, 2, 77)};
    auto done = run_all(*bench, ios);
    for (const std::uint32_t tag : {0u, 2u}) {
      CHECK(done[tag].result == -DP_EINVAL);
      CHECK(done[tag].os_code == EINVAL);
    }
    CHECK(done[1].result == 4096);
  }
}

TEST_CASE("kernel engines: reads at and past the end are short and empty") {
  for (const char* engine : kKernelEngines) {
    CAPTURE(engine);
    if (!usable(engine)) continue;
    ManualHost host;
    const TempFolder folder;
    Bench bench(engine, host, {.depth = 2, .target = {.spec = folder.file("data", 5000), .size = 8192}});
    CHECK(bench.run(bench.io(DP_OP_READ, 0, 4096)).result == 904);
    CHECK(bench.run(bench.io(DP_OP_READ, 0, 8192)).result == 0);
  }
}

TEST_CASE("kernel engines: every operation of the manifest is served") {
  for (const char* engine : kKernelEngines) {
    CAPTURE(engine);
    if (!usable(engine)) continue;
    ManualHost host;
    const TempFolder folder;
    Bench bench(engine, host, {.depth = 2, .target = writable(folder.file("data", kSize), kSize)});
    const std::uint64_t mask = Library::load(built_engine(engine), host.table()).manifest().operations;
    for (const dp_op op : {DP_OP_READ, DP_OP_WRITE, DP_OP_TRIM, DP_OP_FSYNC, DP_OP_FDATASYNC, DP_OP_WRITE_ZEROES}) {
      CAPTURE(op);
      const dp_io io = bench.io(op, 1, 8192);
      const dp_done done = bench.run(io);
      CHECK(done.tag == 1);
      if ((mask >> op & 1) == 0) {
        CHECK(done.result == -DP_ENOTSUP);
      } else if (op != DP_OP_WRITE_ZEROES || done.result != -DP_ENOTSUP) {  // some file systems cannot zero a range
        CHECK(done.result == static_cast<std::int64_t>(io.length));
      }
    }
  }
}

TEST_CASE("kernel engines: the runner's descriptor is used and stays open") {
  for (const char* engine : kKernelEngines) {
    CAPTURE(engine);
    if (!usable(engine)) continue;
    ManualHost host;
    const TempFolder folder;
    const int descriptor = ::open(folder.file("data", 4096, 'd').c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(descriptor >= 0);
    {
      Bench bench(engine, host, {.target = {.spec = "/nowhere", .size = 4096, .native_handle = descriptor}});
      CHECK(bench.run(bench.io(DP_OP_READ, 0)).result == 4096);
      CHECK(bench.buffer(0)[4095] == 'd');
      CHECK(bench.queue().target_info(0).size == 4096);
    }
    CHECK(::fcntl(descriptor, F_GETFD) >= 0);
    ::close(descriptor);
  }
}
