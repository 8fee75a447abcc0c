// Threads, windows and the sum of a phase.
#include "exec/phase_execution.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "exec/buffer_pool.hpp"
#include "exec/target_file.hpp"
#include "exec/worker.hpp"
#include "support/error.hpp"

namespace diskproof {

namespace {

constexpr std::uint64_t kPollInterval = 100'000'000;  // ns: how soon a worker that waits sees stop

bool counted(const PhasePlan& phase) { return phase.stop.kind != StopRule::Kind::duration; }

bool writes(const PhasePlan& phase) { return phase.kind == PhaseKind::layout || phase.operations.write > 0; }

SeriesConfig series_config(const PhasePlan& phase) {
  return {phase.threads, phase.interval_grid, phase.warmup, phase.latency_bounds};
}

}  // namespace

struct PhaseExecution::Lane {
  Lane(const PhasePlan& phase, std::uint32_t worker)
      : index(worker), slice(slice_of(phase, worker)), shared(phase.queue_depth) {}

  std::uint32_t index;
  WorkerSlice slice;
  WorkerShared shared;
  WorkerSetup setup;
  bool ended = false;  // guarded by mutex_; result is complete once set
  WorkerResult result;
  std::thread thread;
};

PhaseExecution::PhaseExecution(const PhasePlan& phase, Engine& engine, const TickClock& clock)
    : phase_(phase), engine_(engine), clock_(clock), series_(series_config(phase)) {
  control_.max_errors = phase.max_errors;
  for (std::uint32_t worker = 0; worker < phase.threads; ++worker) {
    lanes_.push_back(std::make_unique<Lane>(phase, worker));
  }
  for (const auto& lane : lanes_) {
    try {
      lane->thread = std::thread([this, &lane = *lane] { run_lane(lane); });
    } catch (const std::system_error& fault) {
      const std::lock_guard lock(mutex_);
      ready_ = lanes_.size();
      open_error_ =
          std::make_exception_ptr(Error(ErrorKind::unavailable, fmt::format("starting thread {} of {}: {}", lane->index,
                                                                            phase.threads, fault.what())));
      break;
    }
  }
}

PhaseExecution::~PhaseExecution() {
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
  }
  changed_.notify_all();
  stop();
  for (const auto& lane : lanes_) {
    if (lane->thread.joinable()) lane->thread.join();
  }
}

void PhaseExecution::run_lane(Lane& lane) {
  bool opened = false;
  try {
    const bool file = !phase_.engine.no_target;
    std::unique_ptr<TargetFile> target;
    const TargetPlan& planned = phase_.targets.at(lane.slice.target);
    if (file) target = std::make_unique<TargetFile>(planned.spec, TargetAccess{writes(phase_), phase_.direct});
    if (file && phase_.kind == PhaseKind::layout) target->allocate(planned.size);
    BufferPool buffers(phase_.queue_depth, phase_.block_size);
    buffers.fill(phase_.seed ^ (std::uint64_t{lane.index} << 40));
    std::uint32_t flags = 0;
    if (phase_.direct) flags |= DP_TARGET_DIRECT;
    if (writes(phase_)) flags |= DP_TARGET_WRITE;
    QueueSpec spec{phase_.queue_depth,
                   phase_.block_size,
                   {{planned.spec, planned.size, target ? target->handle() : -1, flags}},
                   {{buffers.base(), buffers.size()}},
                   lane.index};
    Queue queue(engine_, std::move(spec));
    opened = true;
    if (!wait_for_go(lane)) {
    } else if (counted(phase_)) {
      measure<true>(lane, queue, buffers);
    } else {
      measure<false>(lane, queue, buffers);
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!open_error_) open_error_ = std::current_exception();
    if (!opened) ++ready_;
  }
  const std::lock_guard lock(mutex_);
  lane.ended = true;
  ++ended_;
  changed_.notify_all();
}

bool PhaseExecution::wait_for_go(Lane& lane) {
  std::unique_lock lock(mutex_);
  ++ready_;
  changed_.notify_all();
  changed_.wait(lock, [this] { return go_ || cancelled_; });
  if (cancelled_) return false;
  lane.setup = setup_of(lane);
  return true;
}

template <bool kCounted>
void PhaseExecution::measure(Lane& lane, Queue& queue, BufferPool& buffers) {
  const auto source = make_io_source(phase_, lane.index);
  const auto worker = std::make_unique<Worker<const TickClock, kCounted>>(lane.setup, queue.calls(), clock_, *source,
                                                                          buffers, series_, control_, lane.shared);
  lane.result = worker->run();
  if (!lane.result.drain.finished) queue.abandon();
}

WorkerSetup PhaseExecution::setup_of(const Lane& lane) const {
  const TickScale scale = clock_.scale();
  WorkerSetup setup;
  setup.index = lane.index;
  setup.depth = phase_.queue_depth;
  setup.submit_max = phase_.batch == 0 ? setup.depth : phase_.batch;
  setup.reap_min = phase_.batch == 0 ? 1 : phase_.batch;
  setup.budget = lane.slice.operations;
  setup.final_sync = phase_.final_sync;
  setup.window.go = clock_.at(go_ns_);
  setup.window.begin = setup.window.go + scale.from_ns(phase_.warmup);
  setup.window.end = counted(phase_) ? kNever : setup.window.begin + scale.from_ns(phase_.stop.value);
  setup.window.warmup_ns = phase_.warmup;
  setup.window.grid_ns = phase_.interval_grid;
  setup.window.scale = scale;
  setup.poll_interval = scale.from_ns(kPollInterval);
  setup.give_up = scale.from_ns(phase_.io_timeout);
  return setup;
}

bool PhaseExecution::wait_ready(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience, [this] { return ready_ == lanes_.size(); });
  if (open_error_) std::rethrow_exception(open_error_);
  return ready_ == lanes_.size();
}

void PhaseExecution::start(std::uint64_t go_ns) {
  {
    const std::lock_guard lock(mutex_);
    go_ns_ = go_ns;
    go_ = true;
  }
  last_tick_ns_ = go_ns;
  changed_.notify_all();
}

bool PhaseExecution::wait_ended(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience, [this] { return ended_ == lanes_.size(); });
}

std::optional<StuckIo> PhaseExecution::find_stuck() const {
  const TickScale scale = clock_.scale();
  const Ticks now = clock_.now();
  std::optional<StuckIo> worst;
  for (const auto& lane : lanes_) {
    const auto oldest = lane->shared.in_flight.oldest();
    if (!oldest || oldest->submitted >= now) continue;
    const std::uint64_t age = scale.to_ns(now - oldest->submitted);
    if (age <= phase_.io_timeout || (worst && worst->age >= age)) continue;
    worst = StuckIo{lane->index, oldest->tag, oldest->offset, age};
  }
  return worst;
}

PhaseTick PhaseExecution::tick() {
  std::uint64_t operations = 0, bytes = 0;
  bool draining = true;
  for (const auto& lane : lanes_) {
    operations += lane->shared.progress.operations.load(std::memory_order_relaxed);
    bytes += lane->shared.progress.bytes.load(std::memory_order_relaxed);
    draining = draining && lane->shared.progress.in_drain.load(std::memory_order_relaxed);
  }
  const std::uint64_t now = std::max(monotonic_ns(), go_ns_);
  const double since = static_cast<double>(std::max<std::uint64_t>(now - last_tick_ns_, 1)) / 1e9;
  PhaseTick tick;
  tick.elapsed = static_cast<double>(now - go_ns_) / 1e9;
  tick.iops = static_cast<double>(operations - last_operations_) / since;
  tick.bandwidth = static_cast<double>(bytes - last_bytes_) / since;
  if (counted(phase_)) {
    const double all =
        phase_.stop.kind == StopRule::Kind::bytes ? static_cast<double>(bytes) : static_cast<double>(operations);
    tick.done = std::min(all / static_cast<double>(phase_.stop.value), 1.0);
  } else {
    tick.total = static_cast<double>(phase_.warmup + phase_.stop.value) / 1e9;
    tick.done = std::min(tick.elapsed / tick.total, 1.0);
  }
  tick.stage = draining                                                  ? PhaseTick::Stage::drain
               : tick.elapsed < static_cast<double>(phase_.warmup) / 1e9 ? PhaseTick::Stage::warmup
                                                                         : PhaseTick::Stage::measure;
  last_tick_ns_ = now;
  last_operations_ = operations;
  last_bytes_ = bytes;
  return tick;
}

void PhaseExecution::keep_finished_rows() {
  for (Interval& row : series_.take_finished()) (row.index < 0 ? warmup_rows_ : rows_).push_back(std::move(row));
}

std::vector<Interval> PhaseExecution::take_intervals() {
  keep_finished_rows();
  std::vector<Interval> fresh(rows_.begin() + static_cast<std::ptrdiff_t>(rows_taken_), rows_.end());
  rows_taken_ = rows_.size();
  return fresh;
}

RunData PhaseExecution::collect() {
  series_.close();
  keep_finished_rows();
  RunData data;
  series_.add_totals(data.directions);
  data.interval_grid = phase_.interval_grid;
  data.intervals = rows_;
  data.warmup_intervals = warmup_rows_;
  data.window_begin = phase_.warmup;
  data.window_end = phase_.warmup;
  for (const Interval& row : data.intervals) data.window_end += row.duration;

  const std::lock_guard lock(mutex_);
  const TickScale scale = clock_.scale();
  const Ticks go = clock_.at(go_ns_);
  std::vector<WorkerStalls> stalls;
  Ticks begin = kNever, end = 0, integral = 0, in_window = 0;
  for (const auto& lane : lanes_) {
    if (!lane->ended) continue;
    const WorkerResult& result = lane->result;
    begin = std::min(begin, result.window_begin);
    end = std::max(end, result.window_end);
    integral += result.in_flight_integral;
    in_window += result.in_window_time;
    stalls.push_back({result.stalls.gaps(), result.window_begin, result.window_end});
    data.cpu_user += result.cpu.user;
    data.cpu_system += result.cpu.system;
    data.drain.operations += result.drain.operations;
    data.drain.latency_max = std::max(data.drain.latency_max, result.drain.latency_max);
    data.drain.finished = data.drain.finished && result.drain.finished;
    data.error_examples.insert(data.error_examples.end(), result.errors.begin(), result.errors.end());
  }
  if (begin < end) {
    data.window_begin = scale.to_ns(begin - go);
    data.window_end = scale.to_ns(end - go);
  }
  data.in_flight_integral = static_cast<double>(scale.to_ns(integral));
  data.in_window_time = static_cast<double>(scale.to_ns(in_window));
  data.stall_max = scale.to_ns(longest_common_gap(stalls));
  return data;
}

std::string PhaseExecution::failure() {
  const std::lock_guard lock(mutex_);
  if (open_error_) std::rethrow_exception(open_error_);
  for (const auto& lane : lanes_) {
    if (!lane->result.failure.empty()) return lane->result.failure;
  }
  if (control_.too_many_errors.load(std::memory_order_relaxed)) {
    return fmt::format("{} I/O errors, {} allowed by max_errors", control_.errors.load(), control_.max_errors);
  }
  return {};
}

}  // namespace diskproof
