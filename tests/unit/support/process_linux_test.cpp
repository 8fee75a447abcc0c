// Whether a process still runs, by what the kernel says of it.
#include <csignal>
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/process.hpp"

using namespace diskproof;

TEST_CASE("a process that has ended runs no more, also before its parent has asked") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t pid = fork();
  if (pid == 0) {
    const ProcessIdentity self = current_process();
    const bool told = write(ends[1], &self.start_time, sizeof self.start_time) == sizeof self.start_time;
    pause();
    _exit(told ? 0 : 1);
  }
  REQUIRE(pid > 0);
  ProcessIdentity child = current_process();
  child.pid = pid;
  REQUIRE(read(ends[0], &child.start_time, sizeof child.start_time) == sizeof child.start_time);
  CHECK(is_running(child));

  REQUIRE(kill(pid, SIGKILL) == 0);
  siginfo_t info{};
  REQUIRE(waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) == 0);  // ended, and kept as a zombie
  CHECK_FALSE(is_running(child));
  waitpid(pid, nullptr, 0);
  CHECK_FALSE(is_running(child));
  for (const int end : ends) close(end);
}
