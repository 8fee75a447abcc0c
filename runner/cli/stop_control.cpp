// The watching thread.
#include "cli/stop_control.hpp"

#include <chrono>

#include "support/clock.hpp"

namespace diskproof {

StopControl::StopControl(std::uint64_t timeout, bool (*interrupted)() noexcept) {
  const std::uint64_t deadline = timeout == 0 ? 0 : monotonic_ns() + timeout;
  look(deadline, interrupted);  // what came before counts at once
  thread_ = std::thread([this, deadline, interrupted] { watch(deadline, interrupted); });
}

StopControl::~StopControl() {
  {
    const std::lock_guard lock(mutex_);
    finished_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void StopControl::look(std::uint64_t deadline, bool (*interrupted)() noexcept) {
  if (interrupted()) {
    cause_ = Cause::interrupted;
    flag_ = true;
  } else if (deadline != 0 && monotonic_ns() >= deadline) {
    cause_ = Cause::timeout;
    flag_ = true;
  }
}

void StopControl::watch(std::uint64_t deadline, bool (*interrupted)() noexcept) {
  std::unique_lock lock(mutex_);
  while (!finished_ && !flag_) {
    look(deadline, interrupted);
    changed_.wait_for(lock, std::chrono::milliseconds(50));
  }
}

}  // namespace diskproof
