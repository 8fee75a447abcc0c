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
// kPaced: an open loop; operations start when the pacer means them to, as far as the depth allows, and their latency
// counts from then.
template <class Clock, bool kCounted, bool kPaced = false>
class Worker {
 public:
  Worker(const WorkerSetup& setup, QueueCalls queue, Clock& clock, IoSource& source, BufferPool& buffers,
         IntervalSeries& series, PhaseControl& control, WorkerShared& shared)
      : setup_(setup),
        queue_(queue),
        clock_(clock),
        source_(source),
        control_(control),
        shared_(shared),
        state_(setup, buffers, shared.in_flight),
        recorder_(setup.index, setup.window, series, &state_),
        sequence_(std::uint64_t{setup.index} << 48) {
    if constexpr (kPaced) {
      open_loop_ = std::make_unique<OpenLoop>(setup.pace, setup.depth, setup.window.go, setup.window.scale);
      state_.pace_with(open_loop_.get());
    }
  }

  // Returns what the worker did; never throws. Starts at setup.window.go.
  WorkerResult run() noexcept {
    clock_.wait_until(setup_.window.go);
    Ticks stamp = clock_.now();
    state_.begin(stamp);
    recorder_.start();
    recorder_.advance(stamp);
    while (wants_more(stamp)) {
      prepare(stamp);
      submit(stamp);
      if (!state_.failed()) stamp = next_batch(stamp);
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

  Ticks next_batch(Ticks stamp) noexcept {
    if constexpr (kPaced) return wait_for_due(stamp);
    return reap(stamp, room_for_more() ? 0 : setup_.reap_min);
  }

  // Reaps until shortly before the next intended start, then polls. While every tag is in flight, the disk sets the
  // pace and the schedule waits.
  Ticks wait_for_due(Ticks stamp) noexcept {
    if (!room_for_more()) return reap(stamp, 1);
    const Ticks next = open_loop_->pacer.next();
    if (next <= stamp) return reap(stamp, 0);
    if (state_.in_flight > 0) {
      const Ticks left = next - stamp;
      return left > setup_.poll_ahead ? reap(stamp, 1, left - setup_.poll_ahead) : reap(stamp, 0);
    }
    clock_.wait_until(std::min({next, recorder_.slot_end(), stamp + setup_.poll_interval}));
    const Ticks now = clock_.now();
    state_.idled(now);
    recorder_.advance(now);
    return now;
  }

  // Gives every free tag an operation, up to the batch; paced: as far as they are due.
  void prepare(Ticks stamp) noexcept {
    std::uint32_t count = std::min(state_.free_count, setup_.submit_max);
    bool measured = true;
    if constexpr (kCounted) {
      measured = stamp >= setup_.window.begin;
      if (measured && count > 0) {
        count = static_cast<std::uint32_t>(std::min<std::uint64_t>(count, state_.budget));
        if constexpr (kPaced) count = static_cast<std::uint32_t>(std::min<std::uint64_t>(count, due(stamp)));
        state_.budget -= count;
        if (count > 0) state_.first_measured = std::min(state_.first_measured, stamp);
      }
    }
    if constexpr (kPaced) count = static_cast<std::uint32_t>(std::min<std::uint64_t>(count, due(stamp)));
    for (; count > 0; --count) {
      const dp_io& io = state_.start(next_operation(), stamp, measured);
      if constexpr (kPaced) intend(io.tag, stamp);
      if (io.op == DP_OP_WRITE) {
        stamp_sectors(static_cast<std::byte*>(io.data), io.length, io.offset, sequence_++);
      }
    }
  }

  [[nodiscard]] std::uint64_t due(Ticks stamp) const noexcept { return open_loop_->pacer.count_before(stamp + 1); }

  void intend(std::uint32_t tag, Ticks stamp) noexcept {
    const Ticks intended = open_loop_->pacer.next();
    open_loop_->intended[tag] = intended;
    open_loop_->punctuality.started(intended, stamp, setup_.window.scale);
    open_loop_->pacer.advance();
    if (state_.free_count == 0) open_loop_->punctuality.tags_ran_out();
  }

  const Operation& next_operation() noexcept {
    if (ahead_next_ == kAhead) {
      source_.fill(ahead_);
      ahead_next_ = 0;
    }
    return ahead_[ahead_next_++];
  }

  void submit(Ticks stamp) noexcept {
    if (state_.pending_count == 0) return;
    state_.stamp_leftovers(stamp);
    state_.submitted(queue_.submit({state_.pending(), state_.pending_count}), stamp);
  }

  Ticks reap(Ticks stamp, std::uint32_t min, Ticks limit = kNever) noexcept {
    const Ticks patience = std::min({recorder_.slot_end() - stamp, setup_.poll_interval, limit});
    const std::int32_t got = queue_.reap({state_.done.get(), setup_.depth}, std::min(min, state_.in_flight),
                                         setup_.window.scale.to_ns(patience));
    const Ticks now = clock_.now();
    const std::uint32_t count = state_.reaped(got, now);
    for (std::uint32_t i = 0; i < count; ++i) complete(state_.done[i], now);
    recorder_.advance(now);
    if constexpr (kPaced) {
      if (count > 0) open_loop_->punctuality.tag_came_back(now);
    }
    shared_.progress.store(state_.operations, state_.bytes);
    return now;
  }

  void complete(const dp_done& done, Ticks now) noexcept {
    if (!state_.owns(done.tag)) [[unlikely]]
      return state_.fail_foreign_tag(done.tag);
    if (!state_.stamp_is_sound(done, now)) [[unlikely]]
      return state_.fail_unsound_stamp(done, now);
    const Tag& tag = state_.tags[done.tag];
    if (done.result != static_cast<std::int64_t>(tag.length)) [[unlikely]]
      return complete_otherwise(done, now);
    const Ticks end = state_.end_of(done, now);
    recorder_.advance(end);
    DirectionTotals& counts = counts_of(tag);
    counts.latency.record(setup_.window.scale.to_ns(end - latency_begin(done.tag)));
    if constexpr (kPaced) record_service(tag, setup_.window.scale.to_ns(end - state_.started(done.tag)));
    counts.bytes += tag.total;
    state_.bytes += tag.total;
    ++state_.operations;
    state_.release(done.tag, end);
  }

  [[nodiscard]] Ticks latency_begin(std::uint32_t tag) const noexcept {
    if constexpr (kPaced) return open_loop_->intended[tag];
    return state_.started(tag);
  }

  void record_service(const Tag& tag, std::uint64_t ns) noexcept {
    if (recorder_.in_window() && tag.measured) open_loop_->service[tag.direction].record(ns);
  }

  DirectionTotals& counts_of(const Tag& tag) noexcept {
    if constexpr (kCounted) {
      if (!tag.measured && recorder_.in_window()) return state_.outside->directions[tag.direction];
    }
    return recorder_.counts(static_cast<Direction>(tag.direction));
  }

  // A short I/O, which goes on, or a failed one.
  void complete_otherwise(const dp_done& done, Ticks now) noexcept {
    if (state_.resume_short(done)) return;
    const Ticks end = state_.end_of(done, now);
    recorder_.advance(end);
    DirectionTotals& counts = counts_of(state_.tags[done.tag]);
    ++counts.errors;
    counts.error_latency_sum += setup_.window.scale.to_ns(end - state_.started(done.tag));
    state_.note_error(done);
    control_.count_error();
    state_.release(done.tag, end);
  }

  // After the window: the final sync where one is asked for, then what is still in flight is waited for. An I/O that
  // never comes back is the monitor's business: it ends the process.
  WorkerResult finish(Ticks stamp) noexcept {
    if (state_.failed()) control_.stop.store(true, std::memory_order_relaxed);  // the phase is lost: end it now
    if (setup_.final_sync && !state_.failed() && !control_.stop.load(std::memory_order_relaxed)) {
      [[maybe_unused]] const dp_io& io = state_.start({0, 0, DP_OP_FSYNC}, stamp, true);
      if constexpr (kPaced) open_loop_->intended[io.tag] = stamp;
      stamp = drain(stamp);
    }
    recorder_.close(stamp);
    state_.drop_unsubmitted();
    shared_.progress.draining();
    drain(stamp);
    WorkerResult result = state_.result(recorder_);
    if constexpr (kCounted && kPaced) open_loop_->unissued = std::min(open_loop_->unissued, state_.budget);
    result.open_loop = std::move(open_loop_);
    return result;
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
  PhaseControl& control_;
  WorkerShared& shared_;
  WorkerState state_;
  SlotRecorder recorder_;
  std::unique_ptr<OpenLoop> open_loop_;  // kPaced only
  std::uint64_t sequence_;               // of writes; the worker's number in the upper 16 bits
  Operation ahead_[kAhead];
  std::size_t ahead_next_ = kAhead;
};

}  // namespace diskproof
