// One worker of a phase: its thread, what it works with, what it shares and what it measured. Private to
// phase_execution*.cpp.
#pragma once

#include <atomic>
#include <memory>
#include <thread>

#include "engine/session.hpp"
#include "exec/buffer_pool.hpp"
#include "exec/io_source.hpp"
#include "exec/lane_integrity.hpp"
#include "exec/phase_execution.hpp"
#include "exec/target_file.hpp"
#include "exec/worker_state.hpp"

namespace diskproof {

// By submission, until a number of operations or bytes is reached; else by the clock.
inline bool counted(const PhasePlan& phase) { return phase.stop.kind != StopRule::Kind::duration; }

struct PhaseExecution::Lane {
  Lane(const PhasePlan& phase, std::uint32_t worker)
      : index(worker), slice(slice_of(phase, worker)), shared(phase.queue_depth) {}

  std::uint32_t index;
  WorkerSlice slice;
  WorkerShared shared;
  WorkerSetup setup;
  // Used by the worker's thread. They stay when the queue could not be emptied: I/O may still be using them.
  std::unique_ptr<TargetFile> target;
  std::unique_ptr<LaneIntegrity> integrity;  // null: nothing is stamped or checked
  std::unique_ptr<BufferPool> buffers;
  std::unique_ptr<Queue> queue;
  std::atomic<std::uint64_t> closing_since{0};  // monotonic ns; 0: the queue is not being closed
  bool ended = false;                           // guarded by mutex_; result is complete once set
  WorkerResult result;
  std::thread thread;
};

}  // namespace diskproof
