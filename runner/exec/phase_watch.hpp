// The parent's watch over one phase's child: looks at it whenever it is asked to, and keeps each wait within a limit.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "exec/child_process.hpp"
#include "exec/phase_runner.hpp"
#include "support/error.hpp"

namespace diskproof {

class PhaseWatch {
 public:
  // Starts the child and sends it plan.phases[index]. Throws Error{failed} when it cannot be started.
  PhaseWatch(const Plan& plan, std::size_t index, const ChildSettings& settings, const std::atomic<bool>& stop,
             PhaseObserver& observer);

  // Takes what the child has sent, up to its `ready`; waits at most `patience` for the first of it. False when the
  // phase is over.
  bool look(std::chrono::milliseconds patience);

  // The child has opened what it works on, and waits for go.
  [[nodiscard]] bool ready() const noexcept { return ready_; }
  // Tells the child when to start, monotonic ns.
  void go(std::uint64_t start);
  // Ends a child that will get no go.
  void abandon(const std::string& reason);

  // Ends the child in any case, in bounded time. Once, when the phase is over.
  PhaseResult finish();

 private:
  bool take(const Frame& frame);
  void note_error(const Error& error);
  void take_row(Interval row);
  void keep_arrived();
  bool take_result(const std::string& payload);
  bool check_limits();
  static std::vector<HeldDevice> devices_of(const PhasePlan& phase, const ChildSettings& settings);
  void send(FrameType type, const std::string& payload);
  void end_on_request(std::uint64_t now);
  void send_stop(std::uint64_t now, std::string reason);
  void note_stuck(const StuckIo& stuck);
  void note(const std::string& reason);
  bool give_up(const std::string& reason);
  void end_child();

  const PhasePlan phase_;
  const ChildLimits limits_;
  const std::atomic<bool>& stop_;
  const std::atomic<bool>* const hurry_;
  PhaseObserver& observer_;
  std::vector<HeldDevice> devices_;  // that the child works on
  const std::unique_ptr<ChildProcess> child_;
  PhaseResult result_;
  std::vector<Interval> rows_;  // of the window, as they came
  std::string stop_reason_;
  const std::uint64_t begin_;
  std::uint64_t last_frame_;
  std::uint64_t go_ = 0;  // 0: not told yet
  std::uint64_t stop_at_ = 0, hurry_at_ = 0;
  bool ready_ = false, stop_sent_ = false, finished_ = false, closed_ = false;
  bool complete_ = false;  // although it was stopped
};

}  // namespace diskproof
