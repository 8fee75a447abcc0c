// fork and a pipe for the reason.
#include "target/run_apart_linux.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include "support/clock.hpp"
#include "support/error.hpp"

namespace diskproof {
namespace {

[[noreturn]] void act(const std::function<void()>& action, int answer) {
  try {
    action();
    _exit(0);
  } catch (const std::exception& fault) {
    const std::string reason = fault.what();
    const ssize_t put = write(answer, reason.data(), reason.size());
    _exit(put < 0 ? 2 : 1);
  }
}

}  // namespace

ApartResult run_apart(const std::function<void()>& action, std::uint64_t patience) {
  std::array<int, 2> ends{};
  const bool piped = pipe2(ends.data(), O_CLOEXEC) == 0;
  const pid_t child = piped ? fork() : -1;
  if (child == 0) act(action, ends[1]);
  if (child < 0) throw Error(ErrorKind::failed, "cannot start a process: " + std::generic_category().message(errno));
  close(ends[1]);
  const std::uint64_t end = monotonic_ns() + patience;
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(child, &status, WNOHANG)) == 0 && monotonic_ns() < end) usleep(2'000);
  ApartResult result;
  if (ended == 0) {
    kill(child, SIGKILL);
    result.end = Apart::hangs;
  } else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    std::array<char, 4096> text{};
    const ssize_t got = read(ends[0], text.data(), text.size());
    result = {Apart::failed, got > 0 ? std::string(text.data(), static_cast<std::size_t>(got)) : "it ended early"};
  }
  close(ends[0]);
  return result;
}

}  // namespace diskproof
