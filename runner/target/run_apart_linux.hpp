// Does what may hang, such as an unmount of a dead server, in a process of its own: what hangs there hangs alone.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <sys/types.h>

namespace diskproof {

enum class Apart { done, failed, hangs, stopped };

struct ApartResult {
  Apart end = Apart::done;
  std::string text{};  // done: what the action answered; failed: what it threw
};

// Starts at once. The action must not need threads of this program, and ends with it.
class ApartTask {
 public:
  explicit ApartTask(const std::function<std::string()>& action);  // throws Error{failed} where there is no process
  ~ApartTask();
  ApartTask(const ApartTask&) = delete;
  ApartTask& operator=(const ApartTask&) = delete;

  // Waits until monotonic_ns() is `end`, or `stopped` (asked several times a second; may be empty) says so; then it is
  // killed. One that cannot even be killed is left to itself, and ends when what it waits for does. Once.
  ApartResult finish(std::uint64_t end, const std::function<bool()>& stopped = {});

 private:
  bool collect(int patience_ms);
  bool ended(std::uint64_t end);
  void kill_it();

  pid_t child_ = -1;
  int answer_ = -1;
  int status_ = 0;
  std::string text_;
};

// Waits at most `patience` ns.
ApartResult run_apart(const std::function<std::string()>& action, std::uint64_t patience,
                      const std::function<bool()>& stopped = {});

// Who closes a device last waits until all is on it that was written through the page cache. `close` closes our own
// descriptors; a process of its own has them too, and is waited for at most `patience` ns; false: it is still waiting.
bool close_apart(const std::function<void()>& close, std::uint64_t patience);

}  // namespace diskproof
