// Runs the worker of a lane. Private to phase_execution*.cpp: loads with extras are compiled in a file of their own,
// since a compiler that meets many kinds of workers in one file inlines less of each.
#pragma once

#include <memory>

#include "exec/phase_lane.hpp"
#include "exec/worker.hpp"

namespace diskproof {

template <bool kCounted, bool kPaced, bool kExtras>
void PhaseExecution::run_worker(Lane& lane) {
  const auto pattern = lane.integrity && lane.integrity->source() ? nullptr : make_io_source(phase_, lane.index);
  IoSource& source = pattern ? *pattern : *lane.integrity->source();
  const auto worker = std::make_unique<Worker<const TickClock, kCounted, kPaced, kExtras>>(
      lane.setup, lane.queue->calls(), clock_, source, *lane.buffers, series_, control_, lane.shared);
  lane.result = worker->run();
  if (lane.integrity) lane.integrity->wall = clock_.now() - lane.setup.window.go;
  if (!lane.result.drain.finished) lane.queue->abandon();
}

extern template void PhaseExecution::run_worker<false, false, true>(Lane&);
extern template void PhaseExecution::run_worker<false, true, true>(Lane&);
extern template void PhaseExecution::run_worker<true, false, true>(Lane&);
extern template void PhaseExecution::run_worker<true, true, true>(Lane&);

}  // namespace diskproof
