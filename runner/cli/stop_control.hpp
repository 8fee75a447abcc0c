// What can end a run before its time: the user (SIGINT, SIGTERM, SIGHUP) or the job's timeout. Phases poll one flag,
// and another one that says not to wait for I/O in flight: the user asked again.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace diskproof {

// While one lives, the signals that would end the process only set a flag, and a closed stdout is an error of writing
// instead of a signal: the undo must happen.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  static bool interrupted() noexcept { return interruptions() > 0; }
  // How often it was asked for.
  static int interruptions() noexcept;
};

class StopControl {
 public:
  enum class Cause { none, interrupted, timeout };

  // `timeout` in ns from now; 0: none. `interruptions` is polled by a thread of its own. What comes twice within one
  // poll, as from a terminal and a wrapper together, counts once.
  StopControl(std::uint64_t timeout, int (*interruptions)() noexcept);
  ~StopControl();
  StopControl(const StopControl&) = delete;
  StopControl& operator=(const StopControl&) = delete;

  [[nodiscard]] const std::atomic<bool>& flag() const noexcept { return flag_; }
  // Set when an interruption came after the flag was set.
  [[nodiscard]] const std::atomic<bool>& hurry() const noexcept { return hurry_; }
  [[nodiscard]] Cause cause() const noexcept { return cause_.load(); }

 private:
  void look(std::uint64_t deadline, int (*interruptions)() noexcept);
  void watch(std::uint64_t deadline, int (*interruptions)() noexcept);

  std::atomic<bool> flag_{false}, hurry_{false};
  int seen_ = 0;  // interruptions when the flag was set
  std::atomic<Cause> cause_{Cause::none};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool finished_ = false;
  std::thread thread_;
};

}  // namespace diskproof
