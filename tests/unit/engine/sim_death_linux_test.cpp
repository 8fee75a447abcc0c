// sim's planned ways to lose a process, in processes that fork makes.
#include <csignal>
#include <doctest/doctest.h>
#include <map>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.hpp"

using namespace diskproof;
using namespace diskproof::testing;

namespace {

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

}  // namespace

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
