// The threads of a phase: opening, the rendezvous, running, closing.
#include "exec/phase_execution.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "exec/lane_worker.hpp"
#include "exec/seed_streams.hpp"
#include "exec/timer_slack.hpp"
#include "support/error.hpp"
#include "support/thread_affinity.hpp"

namespace diskproof {

namespace {

constexpr std::uint64_t kPollInterval = 100'000'000;  // ns: how soon a worker that waits sees stop
constexpr std::uint64_t kPollAhead = 100'000;         // ns: what waking up may take before an operation is due

bool writes(const PhasePlan& phase) {
  return phase.kind == PhaseKind::layout || phase.operations.write > 0 || phase.operations.trim > 0;
}

SeriesConfig series_config(const PhasePlan& phase) {
  return {phase.threads, phase.interval_grid, phase.warmup, phase.latency_bounds};
}

}  // namespace

PhaseExecution::PhaseExecution(const PhasePlan& phase, Engine& engine, const TickClock& clock, PreparedTargets targets,
                               PhaseIntegrity* integrity)
    : phase_(phase),
      engine_(engine),
      clock_(clock),
      targets_(std::move(targets)),
      integrity_(integrity),
      series_(series_config(phase)) {
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
  wake_exactly();
  try {
    open_lane(lane);
    opened = true;
    if (wait_for_go(lane)) {
      measure(lane, std::array{counted(phase_), phase_.rate > 0, lane.setup.extras.wanted()});
    }
    lane.closing_since = monotonic_ns();
    if (lane.result.drain.finished) lane.queue.reset();
    lane.closing_since = 0;
  } catch (...) {
    lane.queue.reset();
    const std::lock_guard lock(mutex_);
    if (!open_error_) open_error_ = std::current_exception();
    if (!opened) ++ready_;
  }
  const std::lock_guard lock(mutex_);
  lane.ended = true;
  ++ended_;
  changed_.notify_all();
}

ExpectedFile PhaseExecution::expected_file(const std::string& path) const {
  for (const TargetIdentity& target : targets_.files) {
    if (target.path == path) return {target.device, target.inode};
  }
  return {};
}

std::unique_ptr<TargetFile> PhaseExecution::open_target(const TargetPlan& target) const {
  const TargetAccess access{writes(phase_), phase_.direct, phase_.sync == Durability::dsync,
                            phase_.sync == Durability::sync};
  if (!target.device) return std::make_unique<TargetFile>(target.spec, access, expected_file(target.spec));
  const auto held = std::ranges::find(targets_.devices, target.spec, &HeldDevice::path);
  if (held == targets_.devices.end()) throw Error(ErrorKind::failed, target.spec + " was not handed over");
  return std::make_unique<TargetFile>(target.spec, access, held->descriptor);
}

// What the engine has opened itself must be the file that was prepared.
void PhaseExecution::require_file(const Queue& queue, const std::string& path) const {
  const ExpectedFile expected = expected_file(path);
  if (expected.device == 0) return;
  const dp_target_info opened = queue.target_info(0);
  if (opened.volume_id == expected.device && opened.file_id == expected.inode) return;
  throw Error(ErrorKind::refused,
              fmt::format("the engine opened another file at {} than the one that the run prepared", path));
}

void PhaseExecution::open_lane(Lane& lane) {
  // First of all: memory comes from the NUMA node of the CPU that touches it first.
  if (!phase_.cpus.empty()) pin_this_thread(phase_.cpus[lane.index % phase_.cpus.size()]);
  const TargetPlan& planned = phase_.targets.at(lane.slice.target);
  if (integrity_ != nullptr) lane.integrity = integrity_->make_lane(lane.index, lane.slice);
  if (!phase_.engine.no_target) {
    lane.target = open_target(planned);
    if (phase_.kind == PhaseKind::layout && !planned.device) lane.target->allocate(planned.size);
  }
  lane.buffers = std::make_unique<BufferPool>(phase_.queue_depth, phase_.block_size);
  lane.buffers->fill(phase_.seed ^ (std::uint64_t{lane.index} << 40));
  std::uint32_t flags = 0;
  if (phase_.direct) flags |= DP_TARGET_DIRECT;
  if (writes(phase_)) flags |= DP_TARGET_WRITE;
  if (phase_.sync == Durability::dsync) flags |= DP_TARGET_DSYNC;
  if (phase_.sync == Durability::sync) flags |= DP_TARGET_SYNC;
  if (planned.device) flags |= DP_TARGET_DEVICE;
  QueueSpec spec{phase_.queue_depth,
                 phase_.block_size,
                 {{planned.spec, planned.size, lane.target ? lane.target->handle() : -1, flags}},
                 lane.buffers->regions(),
                 lane.index};
  lane.queue = std::make_unique<Queue>(engine_, std::move(spec));
  if (lane.target && lane.target->handle() < 0) require_file(*lane.queue, planned.spec);
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

// Turns what is known at run time into the template arguments of the worker, one by one.
template <bool... kChosen>
void PhaseExecution::measure(Lane& lane, std::span<const bool> rest) {
  if constexpr (sizeof...(kChosen) == 3) {
    run_worker<kChosen...>(lane);
  } else if (rest.front()) {
    measure<kChosen..., true>(lane, rest.subspan(1));
  } else {
    measure<kChosen..., false>(lane, rest.subspan(1));
  }
}

WorkerSetup PhaseExecution::setup_of(const Lane& lane) const {
  const TickScale scale = clock_.scale();
  WorkerSetup setup;
  setup.index = lane.index;
  setup.depth = phase_.queue_depth;
  setup.batch = phase_.batch;
  setup.budget = lane.slice.budget;
  setup.flush_op = phase_.fsync.data_only ? DP_OP_FDATASYNC : DP_OP_FSYNC;
  // What a job asks for, its engine has; a layout asks for itself, and goes without where there is none.
  setup.final_flush = phase_.fsync.end && (engine_.library().manifest().operations >> setup.flush_op & 1) != 0;
  setup.extras = extras_of(lane);
  setup.buffers_per_region = lane.buffers->buffers_per_region();
  setup.window.go = clock_.at(go_ns_);
  setup.window.begin = setup.window.go + scale.from_ns(phase_.warmup);
  if (!counted(phase_)) setup.load_end = setup.window.begin + scale.from_ns(phase_.stop.value);
  setup.window.end = setup.final_flush ? kNever : setup.load_end;
  setup.window.warmup_ns = phase_.warmup;
  setup.window.grid_ns = phase_.interval_grid;
  setup.window.scale = scale;
  setup.poll_interval = scale.from_ns(kPollInterval);
  setup.poll_ahead = scale.from_ns(std::max(kPollAhead, phase_.engine.wait_granularity));
  setup.pace = {phase_.rate, lane.index, phase_.threads};
  if (phase_.arrival == Arrival::poisson) {
    setup.pace.random_gaps = stream_seed(phase_.seed, lane.index, kArrivalStream);
  }
  setup.give_up = scale.from_ns(phase_.io_timeout);
  return setup;
}

ExtrasSetup PhaseExecution::extras_of(const Lane& lane) const {
  ExtrasSetup extras;
  extras.flush_every = phase_.fsync.every;
  extras.think_time = clock_.scale().from_ns(phase_.think_time);
  extras.counts_bytes = phase_.stop.kind == StopRule::Kind::bytes && !phase_.block_sizes.empty();
  extras.integrity = lane.integrity.get();
  extras.payload = {phase_.data, phase_.block_size, stream_seed(phase_.seed, 0, kDataStream),
                    stream_seed(phase_.seed, lane.index + 1, kDataStream)};
  return extras;
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
  at_start_ = sample_clocks();
  changed_.notify_all();
}

bool PhaseExecution::wait_ended(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience, [this] { return ended_ == lanes_.size(); });
}

}  // namespace diskproof
