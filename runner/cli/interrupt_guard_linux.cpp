// Signal handlers. The count is the one thing that a handler may touch, and it has to be static for that.
#include <array>
#include <atomic>
#include <csignal>

#include "cli/stop_control.hpp"

namespace diskproof {
namespace {

constexpr std::array<int, 3> kEnding{SIGINT, SIGTERM, SIGHUP};

std::atomic<int> interruption_count{0};
static_assert(std::atomic<int>::is_always_lock_free);

void set(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

void on_signal(int) { interruption_count.fetch_add(1); }

}  // namespace

InterruptGuard::InterruptGuard() {
  for (const int signal : kEnding) {
    struct sigaction inherited {};
    sigaction(signal, nullptr, &inherited);
    if (inherited.sa_handler != SIG_IGN) set(signal, on_signal);  // nohup and the like have their way
  }
  set(SIGPIPE, SIG_IGN);
}

InterruptGuard::~InterruptGuard() {
  if (interrupted()) return;  // one more signal must not change the exit code of a run that has ended
  for (const int signal : kEnding) {
    struct sigaction present {};
    sigaction(signal, nullptr, &present);
    if (present.sa_handler == on_signal) set(signal, SIG_DFL);
  }
  set(SIGPIPE, SIG_DFL);
}

int InterruptGuard::interruptions() noexcept { return interruption_count.load(); }

}  // namespace diskproof
