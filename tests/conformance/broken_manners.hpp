// What the broken engine does to its process.
#pragma once

#include <csignal>
#include <cstdlib>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace broken {

inline void leave_process() {
  if (::fork() != 0) return;
  ::setsid();
  if (::fork() != 0) ::_exit(0);  // so that nobody waits for the other one
  for (;;) ::pause();
}

inline void misbehave(const std::string& fault) {
  if (fault == "folder_changed") static_cast<void>(!::chdir("/"));
  if (fault == "umask_changed") ::umask(0);
  if (fault == "signal_caught") std::signal(SIGUSR1, [](int) {});
  if (fault == "environment_changed") ::setenv("DISKPROOF_BROKEN", "1", 1);
  if (fault == "thread_left") std::thread([] { ::pause(); }).detach();
  if (fault == "process_left") leave_process();
}

#ifdef BROKEN_LOAD
struct AtLoad {
  AtLoad() { misbehave(BROKEN_LOAD); }
};
inline const AtLoad at_load;
#endif

}  // namespace broken
