// sim's planned faults: errors, short I/O, stuck operations, and the ways to lose a process.
#include <cerrno>
#include <csignal>
#include <doctest/doctest.h>
#include <map>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
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

// The wait status of a process that submits three I/Os.
int status_of_child(const std::map<std::string, std::string>& options) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGABRT, SIG_DFL);  // not the test framework's report
    ManualHost host;
    Bench bench("sim", host, {.options = options});
    for (int i = 0; i < 3; ++i) bench.run(bench.io(DP_OP_READ, 0));
    ::_exit(0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

using Results = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("sim: every Nth operation fails with the chosen code") {
  CHECK(results({{"error_every", "3"}}, 7) == Results{4096, 4096, -DP_EIO, 4096, 4096, -DP_EIO, 4096});
  CHECK(results({{"error_every", "1"}, {"error_code", "enospc"}}, 1) == Results{-DP_ENOSPC});
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

TEST_CASE("sim: the process aborts or exits at the chosen operation") {
  const int aborted = status_of_child({{"abort_at", "2"}});
  CHECK(WIFSIGNALED(aborted));
  CHECK(WTERMSIG(aborted) == SIGABRT);
  const int exited = status_of_child({{"exit_at", "3"}});
  CHECK(WIFEXITED(exited));
  CHECK(WEXITSTATUS(exited) == 7);
  const int later = status_of_child({{"exit_at", "4"}});
  CHECK(WIFEXITED(later));
  CHECK(WEXITSTATUS(later) == 0);
}

TEST_CASE("sim: submit never returns from the chosen operation") {
  const pid_t child = ::fork();
  if (child == 0) {
    const ManualHost clock;
    dp_host host = clock.table();
    host.wait_until = [](void*, std::uint64_t) {
      static int waits = 0;
      if (++waits == 1000) ::_exit(9);  // seen enough
    };
    Engine engine(Library::load(built_engine("sim"), host), {{"hang_at", "1"}});
    Queue queue(engine, {.depth = 1, .max_length = 0, .targets = {{.spec = "virtual", .size = 4096}}, .regions = {}});
    const dp_io io{};
    queue.calls().submit({&io, 1});
    ::_exit(0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 9);
}
