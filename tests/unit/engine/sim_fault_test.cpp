// sim's planned faults: errors, short I/O, stuck operations.
#include <cerrno>
#include <doctest/doctest.h>
#include <map>
#include <string>
#include <vector>

#include "bench.hpp"

using namespace diskproof;
using namespace diskproof::testing;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

std::vector<std::int64_t> results(const std::map<std::string, std::string>& options, int count,
                                  dp_op op = DP_OP_WRITE) {
  ManualHost host;
  Bench bench("sim", host, {.options = options});
  std::vector<std::int64_t> seen;
  for (int i = 0; i < count; ++i) seen.push_back(bench.run(bench.io(op, 0)).result);
  return seen;
}

using Results = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("sim: every Nth operation fails with the chosen code") {
  CHECK(results({{"error_every", "3"}}, 7) == Results{4096, 4096, -DP_EIO, 4096, 4096, -DP_EIO, 4096});
  CHECK(results({{"error_every", "1"}, {"error_code", "enospc"}}, 1) == Results{-DP_ENOSPC});
}

TEST_CASE("sim: errors at one operation, of one kind, in one range") {
  CHECK(results({{"error_at", "2"}}, 3) == Results{4096, -DP_EIO, 4096});
  CHECK(results({{"error_at", "2"}, {"error_every", "3"}}, 3) == Results{4096, -DP_EIO, -DP_EIO});
  CHECK(results({{"error_every", "1"}, {"error_on", "read"}}, 2) == Results{4096, 4096});
  CHECK(results({{"error_every", "2"}, {"error_on", "trim"}}, 2, DP_OP_TRIM) == Results{4096, -DP_EIO});
  CHECK(results({{"error_every", "1"}, {"error_on", "sync"}}, 1, DP_OP_FSYNC) == Results{-DP_EIO});
  ManualHost host;
  Bench bench("sim", host, {.options = {{"error_offset", "8192"}, {"error_length", "1"}}});
  CHECK(bench.run(bench.io(DP_OP_READ, 0, 4096)).result == 4096);
  CHECK(bench.run(bench.io(DP_OP_READ, 0, 4097)).result == -DP_EIO);
  CHECK(bench.run(bench.io(DP_OP_WRITE, 0, 8192)).result == -DP_EIO);
  CHECK(bench.run(bench.io(DP_OP_READ, 0, 8193)).result == 4096);
}

TEST_CASE("sim: an I/O outside its target is refused, not served") {
  ManualHost host;
  Bench bench("sim", host, {.target = {.spec = "v", .size = 10'000}});
  CHECK(bench.run(bench.io(DP_OP_READ, 0, 10'000 - 4096)).result == 4096);
  CHECK(bench.run(bench.io(DP_OP_READ, 0, 10'000 - 4095)).result == -DP_EINVAL);
  CHECK(bench.run(bench.io(DP_OP_WRITE, 0, ~std::uint64_t{0} - 4)).result == -DP_EINVAL);
  CHECK(bench.run(bench.io(DP_OP_FSYNC, 0)).result == 0);
  dp_io elsewhere = bench.io(DP_OP_READ, 0);
  elsewhere.target = 1;
  CHECK(bench.run(elsewhere).result == -DP_EINVAL);
}

TEST_CASE("sim: options that contradict each other do not make a disk") {
  const ManualHost host;
  const Library library = Library::load(built_engine("sim"), host.table());
  std::string text;
  try {
    const Engine engine(library, {{"cliff_after", "5"}});
  } catch (const std::exception& error) {
    text = error.what();
  }
  CAPTURE(text);
  CHECK(text.find("cliff_after needs cliff_write_iops or cliff_write_bandwidth") != std::string::npos);
}

TEST_CASE("sim: a failed operation carries the errno") {
  ManualHost host;
  Bench bench("sim", host, {.options = {{"error_every", "1"}, {"error_code", "enodev"}}});
  CHECK(bench.run(bench.io(DP_OP_READ, 0)).os_code == ENODEV);
}

TEST_CASE("sim: every Nth read or write moves half") {
  CHECK(results({{"short_every", "2"}}, 4) == Results{4096, 2048, 4096, 2048});
  CHECK(results({{"short_every", "2"}}, 2, DP_OP_TRIM) == Results{4096, 4096});
}

TEST_CASE("sim: a stuck operation never completes until it is cancelled") {
  ManualHost host;
  Bench bench("sim", host, {.depth = 2, .options = {{"stuck_at", "1"}}});
  REQUIRE(bench.submit({bench.io(DP_OP_READ, 0), bench.io(DP_OP_READ, 1)}) == 2);
  CHECK(bench.submit({bench.io(DP_OP_READ, 0)}) == 0);
  const auto other = bench.reap(2, 2, 60 * kSecond);
  REQUIRE(other.size() == 1);
  CHECK(other[0].tag == 1);
  CHECK(host.now() == 60 * kSecond);
  CHECK(bench.queue().calls().cancel(0) == 0);
  const auto done = bench.reap(2, 1, kSecond);
  REQUIRE(done.size() == 1);
  CHECK(done[0].tag == 0);
  CHECK(done[0].result == -DP_ECANCELED);
  CHECK(done[0].ticks == 60 * kSecond);
  CHECK(bench.queue().calls().cancel(0) == 0);
  CHECK(bench.reap(2, 1, kSecond).empty());
}

TEST_CASE("sim: cancel ends what waits for a limit or a server, once, and leaves what is served alone") {
  for (const auto& [option, value] : {std::pair{"read_iops", "1"}, {"parallelism", "1"}}) {
    CAPTURE(option);
    ManualHost host;
    Bench bench("sim", host, {.depth = 3, .options = {{"service_time", "5000"}, {option, value}}});
    REQUIRE(bench.submit({bench.io(DP_OP_READ, 0), bench.io(DP_OP_READ, 1), bench.io(DP_OP_READ, 2)}) == 3);
    host.set(1000);
    for (const std::uint32_t tag : {2u, 1u, 0u, 1u}) CHECK(bench.queue().calls().cancel(tag) == 0);
    const auto done = bench.reap(3, 3, kSecond);
    REQUIRE(done.size() == 3);
    for (const dp_done& one : done) {
      CAPTURE(one.tag);
      CHECK(one.result == (one.tag == 0 ? 4096 : -DP_ECANCELED));
      CHECK(one.ticks == (one.tag == 0 ? 5000 : 1000));
    }
    CHECK(bench.reap(3, 1, 60 * kSecond).empty());
  }
}

TEST_CASE("sim: a range of errors or faults behind the end of the disk opens no queue") {
  ManualHost host;
  const auto refusal = [&](const std::map<std::string, std::string>& options) -> std::string {
    try {
      const Bench bench("sim", host, {.target = {.spec = "v", .size = 10'000}, .options = options});
      return "";
    } catch (const std::exception& error) {
      return error.what();
    }
  };
  CHECK(refusal({{"error_offset", "9999"}, {"error_length", "1"}}).empty());
  CHECK(refusal({{"error_offset", "10000"}, {"error_length", "1"}})
            .find("error_offset 10000 lies behind the end of the disk, which has 10000 bytes") != std::string::npos);
  CHECK(refusal({{"content", "true"}, {"fault", "lost"}, {"fault_offset", "10000"}, {"fault_length", "1"}})
            .find("fault_offset 10000 lies behind") != std::string::npos);
}

TEST_CASE("sim: cancel leaves an operation that is not stuck alone") {
  ManualHost host;
  Bench bench("sim", host, {.options = {{"service_time", "700"}}});
  REQUIRE(bench.submit({bench.io(DP_OP_READ, 0)}) == 1);
  CHECK(bench.queue().calls().cancel(0) == 0);
  CHECK(bench.queue().calls().cancel(99) == 0);
  const auto done = bench.reap(1, 1, kSecond);
  REQUIRE(done.size() == 1);
  CHECK(done[0].result == 4096);
  CHECK(done[0].ticks == 700);
}

TEST_CASE("sim: with ignore_cancel a stuck operation stays stuck") {
  ManualHost host;
  Bench bench("sim", host, {.options = {{"stuck_at", "1"}, {"ignore_cancel", "true"}}});
  REQUIRE(bench.submit({bench.io(DP_OP_READ, 0)}) == 1);
  CHECK(bench.queue().calls().cancel(0) == 0);
  CHECK(bench.reap(1, 1, kSecond).empty());
}
