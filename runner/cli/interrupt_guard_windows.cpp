// Ctrl-C, Ctrl-Break and the closing of the console. They come on a thread of the system's own.
#include <atomic>
#include <windows.h>

#include "cli/stop_control.hpp"

namespace diskproof {
namespace {

std::atomic<bool> interrupted_flag{false};

BOOL WINAPI on_event(DWORD event) {
  interrupted_flag.store(true);
  // Returning from these ends the process at once; the system waits for some seconds, in which the undo happens.
  if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT) Sleep(INFINITE);
  return TRUE;
}

}  // namespace

InterruptGuard::InterruptGuard() { SetConsoleCtrlHandler(on_event, TRUE); }

InterruptGuard::~InterruptGuard() {
  if (!interrupted_flag) SetConsoleCtrlHandler(on_event, FALSE);  // one more must not change a decided exit code
}

bool InterruptGuard::interrupted() noexcept { return interrupted_flag.load(); }

}  // namespace diskproof
