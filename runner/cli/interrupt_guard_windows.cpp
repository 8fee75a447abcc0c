// Ctrl-C, Ctrl-Break and the closing of the console. They come on a thread of the system's own.
#include <atomic>
#include <windows.h>

#include "cli/stop_control.hpp"

namespace diskproof {
namespace {

std::atomic<int> interruption_count{0};

BOOL WINAPI on_event(DWORD event) {
  interruption_count.fetch_add(1);
  // Returning from these ends the process at once; the system waits for some seconds, in which the undo happens.
  if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT) Sleep(INFINITE);
  return TRUE;
}

}  // namespace

InterruptGuard::InterruptGuard() { SetConsoleCtrlHandler(on_event, TRUE); }

InterruptGuard::~InterruptGuard() {
  if (!interrupted()) SetConsoleCtrlHandler(on_event, FALSE);  // one more must not change a decided exit code
}

int InterruptGuard::interruptions() noexcept { return interruption_count.load(); }

}  // namespace diskproof
