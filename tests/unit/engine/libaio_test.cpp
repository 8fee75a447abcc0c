// libaio: what it says when the kernel's limits or filters are in the way, and what it cannot do.
#include <cerrno>
#include <fstream>
#include <sys/syscall.h>

#include "kernel_bench.hpp"

using namespace diskproof;
using namespace diskproof::testing;

namespace {

std::string probe_text() {
  const ManualHost host;
  dp_error error{};
  const std::int32_t status = Library::load(built_engine("libaio"), host.table()).api().probe(&error);
  return std::to_string(status) + " " + error.text;
}

}  // namespace

TEST_CASE("libaio: a depth over the system's limit names the limit and the way out") {
  if (!usable("libaio")) return;
  std::uint32_t limit = 0;
  std::ifstream("/proc/sys/fs/aio-max-nr") >> limit;
  if (limit == 0 || limit > 1u << 20) {
    MESSAGE("skipped: fs.aio-max-nr is ", limit);
    return;
  }
  const TempFolder folder;
  const std::string text = open_failure(
      "libaio", {.depth = limit + 1, .target = {.spec = folder.file("data", 4096), .size = 4096}, .block = 1});
  CAPTURE(text);
  CHECK(has(text, "fs.aio-max-nr is " + std::to_string(limit)));
  CHECK(has(text, "sysctl -w fs.aio-max-nr"));
  CHECK(has(text, "queue_depth"));
}

TEST_CASE("libaio: a filter that forbids it makes it unavailable with that reason") {
  if (!usable("libaio")) return;
  for (const int error : {EPERM, ENOSYS}) {
    CAPTURE(error);
    const std::string text = under_filter(SYS_io_setup, error, probe_text);
    CAPTURE(text);
    CHECK(has(text, "-" + std::to_string(DP_ENOTSUP) + " "));
    CHECK(has(text, "seccomp"));
  }
}

TEST_CASE("libaio: cancel is not supported and the I/O completes") {
  if (!usable("libaio")) return;
  ManualHost host;
  const TempFolder folder;
  Bench bench("libaio", host, {.depth = 2, .target = writable(folder.file("data", 8192), 8192)});
  REQUIRE(bench.submit({bench.io(DP_OP_READ, 1)}) == 1);
  CHECK(bench.queue().calls().cancel(1) == -DP_ENOTSUP);
  const auto done = bench.reap(2, 1, 1'000'000'000);
  REQUIRE(done.size() == 1);
  CHECK(done.front().result == 4096);
}

TEST_CASE("libaio: completions are read from the mapped ring") {
  if (!usable("libaio")) return;
  ManualHost host;
  const TempFolder folder;
  Bench bench("libaio", host, {.depth = 2, .target = writable(folder.file("data", 8192), 8192)});
  CHECK(std::string(bench.queue().target_info(0).description) == "completions: mapped ring");
  for (std::uint32_t round = 0; round < 1000; ++round)  // many times around the ring
    CHECK(bench.run(bench.io(DP_OP_READ, round % 2)).tag == round % 2);
}
