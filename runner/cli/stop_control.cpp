// The watching thread.
#include "cli/stop_control.hpp"

#include <chrono>

#include "support/clock.hpp"

namespace diskproof {

StopControl::StopControl(std::uint64_t timeout, int (*interruptions)() noexcept) {
  const std::uint64_t deadline = timeout == 0 ? 0 : monotonic_ns() + timeout;
  look(deadline, interruptions);  // what came before counts at once
  thread_ = std::thread([this, deadline, interruptions] { watch(deadline, interruptions); });
}

StopControl::~StopControl() {
  {
    const std::lock_guard lock(mutex_);
    finished_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void StopControl::look(std::uint64_t deadline, int (*interruptions)() noexcept) {
  const int count = interruptions();
  if (flag_) {
    hurry_ = count > seen_;
    return;
  }
  seen_ = count;
  if (count > 0) {
    cause_ = Cause::interrupted;
    flag_ = true;
  } else if (deadline != 0 && monotonic_ns() >= deadline) {
    cause_ = Cause::timeout;
    flag_ = true;
  }
}

void StopControl::watch(std::uint64_t deadline, int (*interruptions)() noexcept) {
  std::unique_lock lock(mutex_);
  while (!finished_ && !hurry_) {
    look(deadline, interruptions);
    changed_.wait_for(lock, std::chrono::milliseconds(50));
  }
}

}  // namespace diskproof
