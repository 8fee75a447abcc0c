// The measured loop: submit, reap, record. One worker is one thread with one queue.
//
// Everything that a phase can ask for is decided before the loop: operations come ready from an IoSource, completions
// go to the slot that the recorder points at, and the only questions asked per I/O are whether it worked and whether
// its slot is over. No allocation, lock, log, virtual call or floating point per I/O; one clock read per batch: the
// stamp after a reap is the submit stamp of the next batch.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/queue.hpp"
#include "exec/buffer_pool.hpp"
#include "exec/in_flight.hpp"
#include "exec/io_source.hpp"
#include "exec/slot_recorder.hpp"
#include "exec/stall_log.hpp"
#include "exec/worker_state.hpp"

namespace diskproof {

// kCounted: the phase ends with its last operation and counts what was submitted in the window; else it ends by the
// clock and counts what completes in the window.
template <class Clock, bool kCounted>
class Worker {
 public:
  Worker(const WorkerSetup& setup, QueueCalls queue, Clock& clock, IoSource& source, BufferPool& buffers,
         IntervalSeries& series, PhaseControl& control, WorkerShared& shared)
      : setup_(setup),
        queue_(queue),
        clock_(clock),
        source_(source),
        buffers_(buffers),
        control_(control),
        shared_(shared),
        recorder_(setup.index, setup.window, series),
        state_(setup) {}

  // Returns what the worker did; never throws. Starts at setup.window.go.
  WorkerResult run() noexcept {
    clock_.wait_until(setup_.window.go);
    Ticks stamp = clock_.now();
    state_.begin(stamp);
    recorder_.advance(stamp);
    while (wants_more(stamp)) {
      prepare(stamp);
      submit(stamp);
      if (!state_.failed()) stamp = reap(stamp, room_for_more() ? 0 : setup_.reap_min);
    }
    return finish(stamp);
  }

 private:
  [[nodiscard]] bool wants_more(Ticks stamp) const noexcept {
    if (control_.stop.load(std::memory_order_relaxed) || state_.failed()) return false;
    if constexpr (kCounted) return state_.budget > 0 || state_.busy();
    return stamp < setup_.window.end;
  }

  // Another batch can go out at once: a batch smaller than the depth must not keep the depth from being reached.
  [[nodiscard]] bool room_for_more() const noexcept {
    if constexpr (kCounted) {
      if (state_.budget == 0) return false;
    }
    return state_.free_count > 0 && state_.pending_count == 0;
  }

  // Gives every free tag an operation, up to the batch.
  void prepare(Ticks stamp) noexcept {
    std::uint32_t count = std::min(state_.free_count, setup_.submit_max);
    bool measured = true;
    if constexpr (kCounted) {
      measured = stamp >= setup_.window.begin;
      if (measured && count > 0) {
        count = static_cast<std::uint32_t>(std::min<std::uint64_t>(count, state_.budget));
        state_.budget -= count;
        state_.first_measured = std::min(state_.first_measured, stamp);
      }
    }
    for (; count > 0; --count) {
      const Operation operation = next_operation();
      const std::uint32_t tag = state_.take_tag(operation, measured);
      std::byte* data = operation.op == DP_OP_TRIM ? nullptr : buffers_.buffer(tag);
      if (operation.op == DP_OP_WRITE) stamp_sectors(data, operation.length, operation.offset, state_.next_sequence());
      state_.queue_io(tag, data);
    }
  }

  Operation next_operation() noexcept {
    if (ahead_next_ == kAhead) {
      source_.fill(ahead_);
      ahead_next_ = 0;
    }
    return ahead_[ahead_next_++];
  }

  void submit(Ticks stamp) noexcept {
    if (state_.pending_count == 0) return;
    const dp_io* ios = state_.pending();
    for (std::uint32_t i = 0; i < state_.pending_count; ++i) {
      state_.stamp(ios[i].tag, stamp);
      shared_.in_flight.start(ios[i].tag, state_.tags[ios[i].tag].submitted, ios[i].offset);
    }
    state_.submitted(queue_.submit({ios, state_.pending_count}), stamp, shared_);
  }

  Ticks reap(Ticks stamp, std::uint32_t min) noexcept {
    const Ticks patience = std::min(recorder_.slot_end() - stamp, setup_.poll_interval);
    const std::int32_t got = queue_.reap({state_.done.get(), setup_.depth}, std::min(min, state_.in_flight),
                                         setup_.window.scale.to_ns(patience));
    const Ticks now = clock_.now();
    state_.integrate(now);
    const std::uint32_t count = state_.checked_reap(got, now);
    for (std::uint32_t i = 0; i < count; ++i) complete(state_.done[i], now);
    recorder_.advance(now);
    shared_.progress.store(state_.operations, state_.bytes);
    return now;
  }

  void complete(const dp_done& done, Ticks now) noexcept {
    if (!state_.owns(done.tag)) [[unlikely]]
      return state_.fail_foreign_tag(done.tag);
    Tag& tag = state_.tags[done.tag];
    const Ticks end = done.ticks == 0 ? now : std::clamp(done.ticks, tag.submitted, now);
    if (done.result != static_cast<std::int64_t>(tag.length)) [[unlikely]] {
      if (state_.resume_short(done)) return;
      return record_error(done, end, now);
    }
    recorder_.advance(end);
    DirectionTotals& counts = counts_of(tag);
    counts.latency.record(setup_.window.scale.to_ns(end - tag.submitted));
    counts.bytes += tag.total;
    state_.completed_one(done.tag, end, now);
    shared_.in_flight.finish(done.tag);
  }

  DirectionTotals& counts_of(const Tag& tag) noexcept {
    if constexpr (kCounted) {
      if (!tag.measured && recorder_.in_window()) return state_.outside->directions[tag.direction];
    }
    return recorder_.counts(static_cast<Direction>(tag.direction));
  }

  void record_error(const dp_done& done, Ticks end, Ticks now) noexcept {
    recorder_.advance(end);
    const Tag& tag = state_.tags[done.tag];
    DirectionTotals& counts = counts_of(tag);
    ++counts.errors;
    counts.error_latency_sum += setup_.window.scale.to_ns(end - tag.submitted);
    state_.note_error(done);
    control_.count_error();
    state_.failed_one(done.tag, end, now);
    shared_.in_flight.finish(done.tag);
  }

  // After the window: the final sync where one is asked for, then what is still in flight is waited for. An I/O that
  // never comes back is the monitor's business: it ends the process.
  WorkerResult finish(Ticks stamp) noexcept {
    if (state_.failed()) control_.stop.store(true, std::memory_order_relaxed);  // the phase is lost: end it now
    if (setup_.final_sync && !state_.failed() && !control_.stop.load(std::memory_order_relaxed)) {
      state_.queue_io(state_.take_tag({0, 0, DP_OP_FSYNC}, true), nullptr);
      stamp = drain(stamp);
    }
    recorder_.close(stamp);
    state_.window_end = recorder_.window_end();
    state_.drop_unsubmitted();
    shared_.progress.draining();
    drain(stamp);
    return state_.result(recorder_);
  }

  Ticks drain(Ticks stamp) noexcept {
    while (state_.busy() && !state_.failed()) {
      submit(stamp);
      if (!state_.failed()) stamp = reap(stamp, 1);
    }
    return stamp;
  }

  static constexpr std::size_t kAhead = 64;  // operations generated at a time

  const WorkerSetup& setup_;
  QueueCalls queue_;
  Clock& clock_;
  IoSource& source_;
  BufferPool& buffers_;
  PhaseControl& control_;
  WorkerShared& shared_;
  SlotRecorder recorder_;
  WorkerState state_;
  Operation ahead_[kAhead];
  std::size_t ahead_next_ = kAhead;
};

}  // namespace diskproof
