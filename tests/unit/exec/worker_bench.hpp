// One or more workers on a manual clock, and what they measured.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/library.hpp"
#include "engine/session.hpp"
#include "exec/worker.hpp"
#include "metrics/interval_series.hpp"
#include "support/manual_host.hpp"

namespace diskproof::testing {

inline constexpr std::uint64_t kMs = 1'000'000;  // ns, and ticks of a ManualHost
inline constexpr std::uint64_t kSecond = 1'000'000'000;
inline constexpr Ticks kGo = 10 * kSecond;  // where the manual clock stands when a phase starts

// A worker's clock over a ManualHost. `on_now` sees each reading: a test acts at a time through it.
struct ManualClock {
  ManualHost& host;
  std::function<void(Ticks)> on_now{};

  Ticks now() {
    if (on_now) on_now(host.now());
    return host.now();
  }
  void wait_until(Ticks ticks) {
    if (ticks > host.now()) host.set(ticks);
  }
};

struct WorkerJob {
  std::uint32_t depth = 1;
  std::uint32_t batch = 0;                                 // as in a plan: 0 is auto
  std::uint64_t warmup = 0, duration = 0, grid = kSecond;  // ns
  std::uint64_t operations = 0;                            // > 0: counted
  std::uint64_t max_errors = 0;
  bool final_sync = false;
  Ticks stop_at = kNever;  // since go
  OperationMix mix{};
  std::uint64_t give_up = 60 * kSecond;
  double rate = 0;  // operations per second; 0: a closed loop
};

// What came out of the run of one worker, times in ns since go.
struct WorkerOutcome {
  WorkerResult result;
  std::vector<Interval> warmup, rows;
  std::array<DirectionTotals, kDirections> totals{};
  std::uint64_t errors = 0;  // all of the phase
  bool stopped = false, too_many_errors = false;

  [[nodiscard]] std::vector<std::uint64_t> operations(Direction direction = Direction::read) const {
    std::vector<std::uint64_t> column;
    for (const Interval& row : rows) column.push_back(row.directions[static_cast<std::size_t>(direction)].operations);
    return column;
  }
  [[nodiscard]] std::vector<std::uint64_t> durations() const {
    std::vector<std::uint64_t> column;
    for (const Interval& row : rows) column.push_back(row.duration);
    return column;
  }
  [[nodiscard]] const DirectionTotals& total(Direction direction = Direction::read) const {
    return totals[static_cast<std::size_t>(direction)];
  }
  [[nodiscard]] std::uint64_t begin() const { return result.window_begin - kGo; }
  [[nodiscard]] std::uint64_t end() const { return result.window_end - kGo; }
};

inline PhasePlan plan_of(const WorkerJob& job) {
  PhasePlan phase;
  phase.name = "p";
  phase.targets = {{"virtual", 1 << 24}};
  phase.region_size = 1 << 24;
  phase.block_size = 4096;
  phase.operations = job.mix;
  phase.seed = 1;
  return phase;
}

inline WorkerSetup setup_of(const WorkerJob& job, std::uint32_t index = 0) {
  WorkerSetup setup;
  setup.index = index;
  setup.depth = job.depth;
  setup.batch = job.batch;
  setup.budget = job.operations;
  setup.final_sync = job.final_sync;
  setup.window.go = kGo;
  setup.window.begin = kGo + job.warmup;
  setup.window.end = job.operations > 0 ? kNever : setup.window.begin + job.duration;
  setup.window.warmup_ns = job.warmup;
  setup.window.grid_ns = job.grid;
  setup.poll_interval = 100 * kMs;
  setup.give_up = job.give_up;
  setup.pace.rate = job.rate;
  return setup;
}

inline WorkerOutcome run_worker(const WorkerJob& job, QueueCalls queue, ManualHost& host) {
  const PhasePlan phase = plan_of(job);
  const WorkerSetup setup = setup_of(job);
  PhaseControl control;
  control.max_errors = job.max_errors;
  ManualClock clock{host};
  if (job.stop_at != kNever) {
    clock.on_now = [&](Ticks now) {
      if (now >= kGo + job.stop_at) control.stop.store(true);
    };
  }
  IntervalSeries series({1, job.grid, job.warmup, {}});
  const auto source = make_io_source(phase, 0);
  BufferPool buffers(job.depth, phase.block_size);
  WorkerShared shared(job.depth);
  WorkerOutcome outcome;
  const auto run = [&](auto worker) { outcome.result = worker->run(); };
  if (job.rate > 0 && job.operations > 0) {
    run(std::make_unique<Worker<ManualClock, true, true>>(setup, queue, clock, *source, buffers, series, control,
                                                          shared));
  } else if (job.rate > 0) {
    run(std::make_unique<Worker<ManualClock, false, true>>(setup, queue, clock, *source, buffers, series, control,
                                                           shared));
  } else if (job.operations > 0) {
    run(std::make_unique<Worker<ManualClock, true>>(setup, queue, clock, *source, buffers, series, control, shared));
  } else {
    run(std::make_unique<Worker<ManualClock, false>>(setup, queue, clock, *source, buffers, series, control, shared));
  }
  series.close();
  for (Interval& row : series.take_finished()) (row.index < 0 ? outcome.warmup : outcome.rows).push_back(row);
  series.add_totals(outcome.totals);
  outcome.errors = control.errors;
  outcome.stopped = control.stop;
  outcome.too_many_errors = control.too_many_errors;
  return outcome;
}

// The real simulated disk, loaded from its shared library.
inline WorkerOutcome run_on_sim(const WorkerJob& job, const std::map<std::string, std::string>& options) {
  static ManualHost host;  // an engine keeps the host that its library was loaded with
  host.set(kGo - kSecond);
  const auto path = std::filesystem::path(DISKPROOF_ENGINE_FOLDER) / "diskproof_engine_sim" DISKPROOF_ENGINE_SUFFIX;
  Engine engine(Library::load(path, host.table()), options);
  std::vector<std::byte> memory(4096);
  Queue queue(engine, {.depth = job.depth,
                       .max_length = 4096,
                       .targets = {{.spec = "virtual", .size = 1 << 24}},
                       .regions = {{memory.data(), memory.size()}}});
  return run_worker(job, queue.calls(), host);
}

// An engine that a test writes as two functions: it may break the contract.
class ScriptedQueue {
 public:
  ManualHost host;
  std::function<std::int32_t(const std::vector<dp_io>&)> submit;
  std::function<std::int32_t(dp_done*, std::uint32_t max, std::uint32_t min, std::uint64_t timeout)> reap;

  ScriptedQueue() {
    host.set(kGo);
    table_.submit = [](dp_queue* self, const dp_io* ios, std::uint32_t count) {
      return of(self).submit(std::vector<dp_io>(ios, ios + count));
    };
    table_.reap = [](dp_queue* self, dp_done* done, std::uint32_t max, std::uint32_t min, std::uint64_t timeout) {
      return of(self).reap(done, max, min, timeout);
    };
  }
  ScriptedQueue(const ScriptedQueue&) = delete;
  ScriptedQueue& operator=(const ScriptedQueue&) = delete;

  [[nodiscard]] QueueCalls calls() { return {table_, reinterpret_cast<dp_queue*>(this)}; }
  WorkerOutcome run(const WorkerJob& job) { return run_worker(job, calls(), host); }
  void pass(std::uint64_t ns) { host.set(host.now() + ns); }

 private:
  static ScriptedQueue& of(dp_queue* self) { return *reinterpret_cast<ScriptedQueue*>(self); }
  dp_engine_api table_{};
};

}  // namespace diskproof::testing
