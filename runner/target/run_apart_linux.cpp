// fork, and a pipe for what the action answers.
#include "target/run_apart_linux.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/clock.hpp"
#include "support/error.hpp"
#include "support/system_text.hpp"

namespace diskproof {
namespace {

constexpr int kLook = 20;                               // ms between two looks at whether it is to be stopped
constexpr std::uint64_t kKillPatience = 1'000'000'000;  // ns for the kernel to end it

bool put(int answer, const std::string& text) {
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t n = write(answer, text.data() + written, text.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    written += static_cast<std::size_t>(n);
  }
  return true;
}

[[noreturn]] void act(const std::function<std::string()>& action, int answer, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(2);
  try {
    _exit(put(answer, action()) ? 0 : 2);
  } catch (const std::exception& fault) {
    _exit(put(answer, fault.what()) ? 1 : 2);
  }
}

}  // namespace

ApartTask::ApartTask(const std::function<std::string()>& action) {
  std::array<int, 2> ends{};
  const pid_t parent = getpid();
  const bool piped = pipe2(ends.data(), O_CLOEXEC) == 0;
  child_ = piped ? fork() : -1;
  if (child_ == 0) act(action, ends[1], parent);
  const int code = errno;
  if (piped) {
    answer_ = ends[0];
    close(ends[1]);
  }
  if (child_ > 0) return;
  if (answer_ >= 0) close(answer_);
  throw Error(ErrorKind::failed, "cannot start a process: " + system_text(code));
}

ApartTask::~ApartTask() {
  if (child_ > 0) kill_it();
  close(answer_);
}

ApartResult ApartTask::finish(std::uint64_t end, const std::function<bool()>& stopped) {
  while (!ended(monotonic_ns())) {
    const bool stop = stopped && stopped();
    if (stop || monotonic_ns() >= end) {
      kill_it();
      return {stop ? Apart::stopped : Apart::hangs};
    }
    if (!collect(kLook)) usleep(1'000);
  }
  while (collect(0)) {
  }
  if (WIFEXITED(status_) && WEXITSTATUS(status_) == 0) return {Apart::done, text_};
  const bool threw = WIFEXITED(status_) && WEXITSTATUS(status_) == 1;
  return {Apart::failed, threw ? text_ : "it ended early"};
}

// Takes what has been answered; false: nothing more will be.
bool ApartTask::collect(int patience_ms) {
  pollfd ready{answer_, POLLIN, 0};
  if (poll(&ready, 1, patience_ms) <= 0) return patience_ms > 0;
  std::array<char, 4096> part{};
  const ssize_t got = read(answer_, part.data(), part.size());
  if (got > 0) text_.append(part.data(), static_cast<std::size_t>(got));
  return got > 0;
}

bool ApartTask::ended(std::uint64_t end) {
  while (child_ > 0) {
    if (waitpid(child_, &status_, WNOHANG) == child_) child_ = -1;
    if (child_ < 0 || monotonic_ns() >= end) break;
    usleep(1'000);
  }
  return child_ < 0;
}

void ApartTask::kill_it() {
  kill(child_, SIGKILL);
  ended(monotonic_ns() + kKillPatience);
  child_ = -1;
}

ApartResult run_apart(const std::function<std::string()>& action, std::uint64_t patience,
                      const std::function<bool()>& stopped) {
  return ApartTask(action).finish(monotonic_ns() + patience, stopped);
}

bool close_apart(const std::function<void()>& close_ours, std::uint64_t patience) {
  std::array<int, 2> gate{-1, -1};  // which the other process sees closed when ours are
  if (pipe2(gate.data(), O_CLOEXEC) != 0) throw Error(ErrorKind::failed, "cannot make a pipe");
  ApartTask last([&gate] {
    char nothing = 0;
    close(gate[1]);
    while (read(gate[0], &nothing, 1) < 0 && errno == EINTR) {
    }
    return std::string();
  });
  close(gate[0]);
  close_ours();
  close(gate[1]);
  return last.finish(monotonic_ns() + patience).end != Apart::hangs;
}

}  // namespace diskproof
