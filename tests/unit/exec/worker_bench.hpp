// One or more workers on a manual clock, and what they measured.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
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
  bool final_flush = false;
  Ticks stop_at = kNever;  // since go
  OperationMix mix{};
  std::uint64_t give_up = 60 * kSecond;
  double rate = 0;                             // operations per second; 0: a closed loop
  std::optional<std::uint64_t> random_gaps{};  // paced: Poisson arrivals of this seed
  std::uint64_t bytes = 0;                     // > 0: counted, in bytes
  std::vector<BlockShare> block_sizes{};       // ascending
  std::uint64_t flush_every = 0;
  Ticks think_time = 0;
  std::uint64_t region = 1 << 24;
  Access access = Access::sequential;
  std::uint64_t seed = 1;

  [[nodiscard]] bool counted() const { return operations > 0 || bytes > 0; }
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
  phase.targets = {{"virtual", job.region}};
  phase.region_size = job.region;
  phase.access = job.access;
  phase.block_size = job.block_sizes.empty() ? 4096 : job.block_sizes.back().size;
  phase.block_sizes = job.block_sizes;
  phase.operations = job.mix;
  phase.seed = job.seed;
  return phase;
}

inline WorkerSetup setup_of(const WorkerJob& job, std::uint32_t index = 0) {
  WorkerSetup setup;
  setup.index = index;
  setup.depth = job.depth;
  setup.batch = job.batch;
  setup.budget = job.bytes > 0 ? job.bytes : job.operations;
  setup.extras.flush_every = job.flush_every;
  setup.extras.think_time = job.think_time;
  setup.extras.counts_bytes = job.bytes > 0;
  setup.final_flush = job.final_flush;
  setup.window.go = kGo;
  setup.window.begin = kGo + job.warmup;
  if (!job.counted()) setup.load_end = setup.window.begin + job.duration;
  setup.window.end = job.final_flush ? kNever : setup.load_end;
  setup.window.warmup_ns = job.warmup;
  setup.window.grid_ns = job.grid;
  setup.poll_interval = 100 * kMs;
  setup.give_up = job.give_up;
  setup.pace.rate = job.rate;
  setup.pace.random_gaps = job.random_gaps;
  return setup;
}

// Calls `use` with a worker of the right kind.
template <bool... kChosen, class Use, class... Parts>
void with_worker(std::span<const bool> rest, const Use& use, Parts&&... parts) {
  if constexpr (sizeof...(kChosen) == 3) {
    use(std::make_unique<Worker<ManualClock, kChosen...>>(parts...));
  } else if (rest.front()) {
    with_worker<kChosen..., true>(rest.subspan(1), use, parts...);
  } else {
    with_worker<kChosen..., false>(rest.subspan(1), use, parts...);
  }
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
  with_worker(
      std::array{job.counted(), job.rate > 0, setup.extras.wanted()},
      [&](auto worker) { outcome.result = worker->run(); }, setup, queue, clock, *source, buffers, series, control,
      shared);
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
                       .max_length = static_cast<std::uint32_t>(plan_of(job).block_size),
                       .targets = {{.spec = "virtual", .size = job.region}},
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
