// What can end a run before its time: the user (SIGINT, SIGTERM, SIGHUP) or the job's timeout. Phases poll one flag.
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

  static bool interrupted() noexcept;
};

class StopControl {
 public:
  enum class Cause { none, interrupted, timeout };

  // `timeout` in ns from now; 0: none. `interrupted` is polled by a thread of its own.
  StopControl(std::uint64_t timeout, bool (*interrupted)() noexcept);
  ~StopControl();
  StopControl(const StopControl&) = delete;
  StopControl& operator=(const StopControl&) = delete;

  [[nodiscard]] const std::atomic<bool>& flag() const noexcept { return flag_; }
  [[nodiscard]] Cause cause() const noexcept { return cause_.load(); }

 private:
  void look(std::uint64_t deadline, bool (*interrupted)() noexcept);
  void watch(std::uint64_t deadline, bool (*interrupted)() noexcept);

  std::atomic<bool> flag_{false};
  std::atomic<Cause> cause_{Cause::none};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool finished_ = false;
  std::thread thread_;
};

}  // namespace diskproof
