// One phase inside its child: a thread and a queue per worker, the rendezvous, what the monitor may ask while it runs,
// and the sum of it all. Opening, running and closing a queue happen on its worker's thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "engine/session.hpp"
#include "exec/phase_integrity.hpp"
#include "exec/phase_runner.hpp"
#include "exec/target_file.hpp"
#include "exec/worker_state.hpp"
#include "metrics/run_data.hpp"
#include "plan/plan.hpp"

namespace diskproof {

// What the parent prepared, where it did: which files, and devices by their descriptor here.
struct PreparedTargets {
  std::vector<TargetIdentity> files{};
  std::vector<HeldDevice> devices{};
};

class PhaseExecution {
 public:
  // Starts the threads; each opens its target, buffers and queue. `engine` and `clock` outlive the execution.
  // `targets`: which files the parent prepared, where it did. `integrity`: see PhaseIntegrity::open; outlives it too.
  PhaseExecution(const PhasePlan& phase, Engine& engine, const TickClock& clock, PreparedTargets targets = {},
                 PhaseIntegrity* integrity = nullptr);
  // Joins the threads. Not to be reached with I/O stuck in the engine: the process ends by _exit then.
  ~PhaseExecution();
  PhaseExecution(const PhaseExecution&) = delete;
  PhaseExecution& operator=(const PhaseExecution&) = delete;

  // Waits until every queue is open, at most `patience`; false: not yet. Throws the first worker's Error.
  bool wait_ready(std::chrono::milliseconds patience);
  // Lets the workers start at a time of the monotonic clock.
  void start(std::uint64_t go_ns);
  // Asks the workers to end; what was measured is kept.
  void stop() noexcept { control_.stop.store(true, std::memory_order_relaxed); }
  // Asks the engine to end what is in flight, once the workers were told to stop.
  void cancel() noexcept { control_.cancel.store(true, std::memory_order_relaxed); }
  // Waits until every worker has ended, at most `patience`; false: not yet.
  bool wait_ended(std::chrono::milliseconds patience);

  // The oldest I/O that has been in flight for longer than the phase's io_timeout.
  [[nodiscard]] std::optional<StuckIo> find_stuck() const;
  // "queue_close of worker 0 …", once a worker has been in it for longer than io_timeout; else empty.
  [[nodiscard]] std::string find_hanging_close() const;
  // Progress since the last call, nothing before the start; the monitor's thread only.
  PhaseTick tick();
  // Rows of the window that were finished since the last call; the monitor's thread only.
  std::vector<Interval> take_intervals();
  // Everything measured so far; after wait_ended all of it, else what has been published, with the drain unfinished.
  RunData collect();
  // Why the phase did not run as planned, after wait_ended; empty when it did. Throws what a worker's thread threw.
  [[nodiscard]] std::string failure();

 private:
  struct Lane;  // one worker: thread, shared state, result

  void run_lane(Lane& lane);
  void open_lane(Lane& lane);
  [[nodiscard]] std::unique_ptr<TargetFile> open_target(const TargetPlan& target) const;
  [[nodiscard]] ExpectedFile expected_file(const std::string& path) const;
  void require_file(const Queue& queue, const std::string& path) const;
  template <bool... kChosen>
  void measure(Lane& lane, std::span<const bool> rest);
  template <bool kCounted, bool kPaced, bool kExtras>
  void run_worker(Lane& lane);
  bool wait_for_go(Lane& lane);
  [[nodiscard]] WorkerSetup setup_of(const Lane& lane) const;
  [[nodiscard]] ExtrasSetup extras_of(const Lane& lane) const;
  void keep_finished_rows();
  void add_facts(RunData& data) const;
  void add_open_loop(const WorkerResult& result, RunData& data) const;
  void add_integrity(RunData& data) const;
  void add_looks(const RoundTotals& rounds, RunData& data) const;

  const PhasePlan& phase_;
  Engine& engine_;
  const TickClock& clock_;
  const PreparedTargets targets_;
  PhaseIntegrity* const integrity_;
  PhaseControl control_;
  IntervalSeries series_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<Interval> warmup_rows_, rows_;
  std::size_t rows_taken_ = 0;
  std::uint64_t written_ = 0;  // bytes of the rows

  std::mutex mutex_;  // guards what follows and the lanes' errors
  std::condition_variable changed_;
  std::size_t ready_ = 0;
  std::size_t ended_ = 0;
  std::uint64_t go_ns_ = 0;
  bool go_ = false;
  bool cancelled_ = false;
  std::exception_ptr open_error_;

  ClockSample at_start_;
  std::uint64_t last_tick_ns_ = 0, last_operations_ = 0, last_bytes_ = 0;
};

}  // namespace diskproof
