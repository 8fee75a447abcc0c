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
#include "exec/batch_size.hpp"
#include "exec/buffer_pool.hpp"
#include "exec/in_flight.hpp"
#include "exec/io_source.hpp"
#include "exec/load_extras.hpp"
#include "exec/round_samples.hpp"
#include "exec/slot_recorder.hpp"
#include "exec/stall_log.hpp"
#include "exec/worker_state.hpp"
#include "support/compiler.hpp"

namespace diskproof {

// kCounted: the phase ends with its last operation and counts what was submitted in the window; else it ends by the
// clock and counts what completes in the window.
// kPaced: an open loop; operations start when the pacer means them to, as far as the depth allows, and their latency
// counts from then.
// kExtras: the load does what is in load_extras.hpp besides.
template <class Clock, bool kCounted, bool kPaced = false, bool kExtras = false>
class Worker {
 public:
  Worker(const WorkerSetup& setup, QueueCalls queue, Clock& clock, IoSource& source, BufferPool& buffers,
         IntervalSeries& series, PhaseControl& control, WorkerShared& shared)
      : setup_(setup),
        clock_(clock),
        queue_(queue),
        scale_(setup.window.scale),
        end_(setup.load_end),
        control_(control),
        shared_(shared),
        state_(setup, buffers, shared.in_flight),
        recorder_(setup.index, setup.window, series, &state_),
        batch_(setup.batch, setup.depth),
        source_(source),
        sequence_(std::uint64_t{setup.index} << 48) {
    state_.watch(&rounds_);
    if constexpr (kPaced) {
      open_loop_ = std::make_unique<OpenLoop>(setup.pace, setup.depth, setup.window.go, setup.window.scale);
      state_.pace_with(open_loop_.get());
    }
    if constexpr (kExtras) extras_ = std::make_unique<LoadExtras>(setup.extras, setup.depth);
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
      if (rounds_.due()) [[unlikely]]
        rounds_.submits(stamp, clock_.now());
      submit(stamp);
      if (!state_.failed()) [[likely]]
        stamp = next_batch(stamp);
    }
    return finish(stamp);
  }

 private:
  [[nodiscard]] bool wants_more(Ticks stamp) const noexcept {
    if (control_.stop.load(std::memory_order_relaxed) || state_.failed()) [[unlikely]]
      return false;
    if constexpr (kCounted) return state_.budget > 0 || state_.busy() || flush_due();
    return stamp < end_;
  }

  // Another batch can go out at once: a batch smaller than the depth must not keep the depth from being reached.
  [[nodiscard]] bool room_for_more() const noexcept {
    if constexpr (kCounted) {
      if (state_.budget == 0 && !flush_due()) return false;
    }
    return state_.free_count() > 0 && state_.pending_count == 0;
  }

  DISKPROOF_ALWAYS_INLINE Ticks next_batch(Ticks stamp) noexcept {
    if constexpr (kPaced) return wait_until(open_loop_->pacer.next(), stamp);
    if constexpr (kExtras) {
      if (extras_->thinks()) return wait_until(extras_->next_usable(), stamp);
    }
    const bool waits = !room_for_more() && !rounds_.peeks();
    return reap_here(stamp, waits ? batch_.reap() : 0, kNever);
  }

  // Reaps until shortly before the next start, then polls. While every tag is in flight, the disk sets the pace and
  // the schedule waits.
  Ticks wait_until(Ticks next, Ticks stamp) noexcept {
    if (!room_for_more()) return reap(stamp, 1);
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
    std::uint32_t count = std::min(state_.free_count(), batch_.submit());
    bool measured = true;
    if constexpr (kCounted) measured = stamp >= setup_.window.begin;
    if constexpr (kExtras) {
      if constexpr (kCounted) {
        if (measured && state_.first_measured == kNever) extras_->forget_flushes();  // of the warm-up
      }
      count = extras_->usable(stamp, count);
      for (; count > 0 && extras_->flush_due(); --count) start_flush(stamp, measured);
    }
    if constexpr (kPaced) count = static_cast<std::uint32_t>(open_loop_->pacer.count_before(stamp + 1, count));
    if constexpr (kCounted && kExtras) {
      if (measured && extras_->counts_bytes()) return start_by_bytes(count, stamp);
    }
    if constexpr (kCounted) {
      if (measured) count = charge(count, stamp);
    }
    start(count, stamp, measured);
  }

  // Takes operations off the budget, as far as it goes.
  std::uint32_t charge(std::uint32_t count, Ticks stamp) noexcept {
    count = static_cast<std::uint32_t>(std::min<std::uint64_t>(count, state_.budget));
    state_.budget -= count;
    if (count > 0) state_.first_measured = std::min(state_.first_measured, stamp);
    return count;
  }

  // Where the budget is bytes, only the operation itself tells what it takes.
  void start_by_bytes(std::uint32_t count, Ticks stamp) noexcept {
    if (count > 0 && state_.budget > 0) state_.first_measured = std::min(state_.first_measured, stamp);
    for (; count > 0 && state_.budget > 0; --count) {
      start(1, stamp, true);
      state_.budget -= std::min<std::uint64_t>(state_.budget, started_length_);
    }
  }

  void start(std::uint32_t count, Ticks stamp, bool measured) noexcept {
    if constexpr (kExtras) extras_->used(count);
    state_.append(count, [&](dp_io& io, std::uint32_t tag) {
      const Operation& operation = next_operation();
      state_.start(io, tag, operation, stamp, measured);
      if constexpr (kPaced) intend(tag, stamp);
      if constexpr (kExtras) {
        started_length_ = operation.length;
        if (extras_->integrity() != nullptr) return prove_start(io, &operation != next_of_source(), measured);
      }
      if (operation.op == DP_OP_WRITE) fill(io);
    });
  }

  void fill(const dp_io& io) noexcept {
    auto* const data = static_cast<std::byte*>(io.data);
    if constexpr (kExtras) {
      if (extras_->payload()) return extras_->payload()->prepare(data, io.length, io.offset, sequence_++);
    }
    stamp_sectors(data, io.length, io.offset, sequence_++);
  }

  // An operation that is not the source's may come on top of the budget.
  void prove_start(const dp_io& io, bool extra, bool measured) noexcept {
    LaneIntegrity& integrity = *extras_->integrity();
    const Ticks begin = clock_.now();
    integrity.starts(io);
    integrity.busy += clock_.now() - begin;
    if constexpr (kCounted) {
      if (extra && measured && integrity.extras_are_free()) state_.budget += extras_->counts_bytes() ? io.length : 1;
    }
  }

  void prove_end(std::uint32_t tag) noexcept {
    if constexpr (kExtras) {
      if (extras_->integrity() == nullptr) return;
      const Ticks begin = clock_.now();
      extras_->integrity()->succeeded(tag);
      extras_->integrity()->busy += clock_.now() - begin;
    }
  }

  // Whether the failure counts as an error of the phase.
  bool prove_failure(const dp_done& done) noexcept {
    if constexpr (kExtras) {
      if (LaneIntegrity* const integrity = extras_->integrity()) {
        integrity->failed(done);
        state_.budget += integrity->take_added();
        return !integrity->tolerates_errors();
      }
    }
    return true;
  }

  // Whether a flush is to be started with the next free tag.
  [[nodiscard]] bool flush_due() const noexcept {
    if constexpr (kExtras) return extras_->flush_due();
    return false;
  }

  void start_flush(Ticks stamp, bool measured) noexcept {
    if constexpr (kExtras) {
      extras_->used(1);
      if (extras_->flush_due()) extras_->flush_started();
    }
    state_.append(1, [&](dp_io& io, std::uint32_t tag) {
      state_.start(io, tag, {0, 0, setup_.flush_op}, stamp, measured);
      if constexpr (kExtras) {
        if (extras_->integrity() != nullptr) extras_->integrity()->starts(io);
      }
      if constexpr (kPaced) open_loop_->intended[tag] = stamp;
    });
  }

  void intend(std::uint32_t tag, Ticks stamp) noexcept {
    const Ticks intended = open_loop_->pacer.next();
    open_loop_->intended[tag] = intended;
    open_loop_->punctuality.started(intended, stamp, setup_.window.scale);
    open_loop_->pacer.advance();
    if (state_.free_count() == 0) open_loop_->punctuality.tags_ran_out();
  }

  const Operation& next_operation() noexcept {
    if constexpr (kExtras) {
      const Operation* const extra = extras_->integrity() == nullptr ? nullptr : extras_->integrity()->extra();
      if (extra != nullptr) return *extra;
    }
    if (ahead_next_ == kAhead) {
      source_.fill(ahead_);
      ahead_next_ = 0;
    }
    return ahead_[ahead_next_++];
  }

  // What the source gave last.
  [[nodiscard]] const Operation* next_of_source() const noexcept { return &ahead_[ahead_next_ - 1]; }

  void submit(Ticks stamp) noexcept {
    if (state_.pending_count == 0) return;
    if constexpr (kExtras) {
      if (extras_->integrity() != nullptr) stamp = stamp_late();
    }
    state_.stamp_leftovers(stamp);
    state_.submitted(queue_.submit({state_.pending(), state_.pending_count}), stamp);
  }

  // Stamping took its time: latency counts from here.
  Ticks stamp_late() noexcept {
    const Ticks now = clock_.now();
    state_.stamp_pending(now);
    recorder_.advance(now);
    return now;
  }

  // `min` 0 never waits.
  Ticks reap(Ticks stamp, std::uint32_t min, Ticks limit = kNever) noexcept { return reap_here(stamp, min, limit); }

  // Part of the closed loop's body: a call and what it saves cost more than some of the work.
  DISKPROOF_ALWAYS_INLINE Ticks reap_here(Ticks stamp, std::uint32_t min, Ticks limit) noexcept {
    std::uint64_t timeout = 0;
    if (min > 0) {
      min = std::min(min, state_.in_flight);
      timeout = scale_.to_ns(std::min({recorder_.slot_end() - stamp, setup_.poll_interval, limit}));
    }
    const std::int32_t got = queue_.reap({state_.done.get(), setup_.depth}, min, timeout);
    const Ticks now = clock_.now();
    const std::uint32_t count = state_.reaped(got, now);
    const dp_done* const done = state_.done.get();
    for (std::uint32_t i = 0; i < count; ++i) complete(done[i], now);
    batch_.reaped(count);
    recorder_.advance(now);
    if constexpr (kPaced) {
      if (count > 0) open_loop_->punctuality.tag_came_back(now);
    }
    if (min > 0) publish_progress();  // rounds that do not wait follow each other soon
    if (rounds_.peeks() && min == 0) [[unlikely]] {
      rounds_.peeked(count, state_.in_flight, state_.stamps_ends());
      batch_.look(now);
    }
    if (rounds_.looking()) [[unlikely]] {
      publish_progress();
      rounds_.reaped(now);
    }
    return now;
  }

  void publish_progress() noexcept {
    shared_.progress.add(moved_.operations, moved_.bytes);
    moved_ = {};
  }

  void complete(const dp_done& done, Ticks now) noexcept {
    if (!state_.owns(done.tag)) [[unlikely]]
      return state_.fail_foreign_tag(done.tag);
    Tag& tag = state_.tag(done.tag);
    Ticks end = now;
    if (done.ticks != 0) {
      if (!state_.stamp_is_sound(done, now)) [[unlikely]]
        return state_.fail_unsound_stamp(done, now);
      end = done.ticks;
    }
    state_.completed(end);
    recorder_.advance(end);
    if (done.result != static_cast<std::int64_t>(tag.length)) [[unlikely]]
      return complete_otherwise(done, end, now);
    record(done.tag, tag, tag.length, end);
    prove_end(done.tag);
    release(done.tag, tag, end, now);
  }

  void release(std::uint32_t index, Tag& tag, Ticks end, Ticks now) noexcept {
    state_.release(index, tag, tag.started(), end, now);
    if constexpr (kExtras) extras_->freed(now);
  }

  void record(std::uint32_t index, const Tag& tag, std::uint32_t length, Ticks end) noexcept {
    const Direction direction = kDirectionOf[tag.op];
    const Ticks started = tag.started();
    DirectionTotals& counts = counts_of(tag, direction);
    counts.latency.record(scale_.span_ns(end - latency_begin(index, started)));
    if constexpr (kPaced) record_service(tag, direction, scale_.to_ns(end - started));
    if constexpr (kExtras) {
      const bool late = kCounted && !tag.measured && state_.first_measured != kNever;  // the warm-up's, in the window
      if (!late) extras_->acknowledged(tag.op);
    }
    counts.bytes += length;
    moved_.bytes += length;
    ++moved_.operations;
  }

  [[nodiscard]] Ticks latency_begin(std::uint32_t tag, Ticks started) const noexcept {
    if constexpr (kPaced) return open_loop_->intended[tag];
    return started;
  }

  void record_service(const Tag& tag, Direction direction, std::uint64_t ns) noexcept {
    if (recorder_.in_window() && tag.measured) open_loop_->service[static_cast<std::size_t>(direction)].record(ns);
  }

  DirectionTotals& counts_of(const Tag& tag, Direction direction) noexcept {
    if constexpr (kCounted) {
      if (!tag.measured && recorder_.in_window()) {
        return state_.outside->directions[static_cast<std::size_t>(direction)];
      }
    }
    return recorder_.counts(direction);
  }

  // A short I/O, which goes on, the rest of one, or a failed one.
  void complete_otherwise(const dp_done& done, Ticks end, Ticks now) noexcept {
    if (state_.resume_short(done)) return;
    Tag& tag = state_.tag(done.tag);
    if (const std::uint32_t whole = state_.end_continued(done); whole != 0) {
      record(done.tag, tag, whole, end);
      prove_end(done.tag);
    } else if (!prove_failure(done)) {
      ++counts_of(tag, kDirectionOf[tag.op]).errors;
    } else if (done.result != -DP_ECANCELED || !control_.cancel.load(std::memory_order_relaxed)) {
      DirectionTotals& counts = counts_of(tag, kDirectionOf[tag.op]);
      ++counts.errors;
      counts.error_latency_sum += scale_.to_ns(end - tag.started());
      state_.note_error(done);
      control_.count_error();
    }
    release(done.tag, tag, end, now);
  }

  // After the load: where a final flush is asked for, it goes out when everything else has come back, and ends the
  // window; then what is still in flight is waited for. An I/O that never comes back is the monitor's business: it ends
  // the process.
  WorkerResult finish(Ticks stamp) noexcept {
    if (state_.failed()) control_.stop.store(true, std::memory_order_relaxed);  // the phase is lost: end it now
    if (setup_.final_flush && !control_.stop.load(std::memory_order_relaxed)) {
      stamp = drain(stamp);
      if (!state_.failed()) start_flush(stamp, true);
      stamp = drain(stamp);
    }
    recorder_.close(stamp);
    if constexpr (kExtras) {
      if (extras_->integrity() != nullptr)
        state_.visit_unsubmitted([&](std::uint32_t tag) { extras_->integrity()->withdrawn(tag); });
    }
    state_.drop_unsubmitted();
    shared_.progress.draining();
    drain(stamp);
    WorkerResult result = state_.result(recorder_);
    if constexpr (kCounted && kPaced) open_loop_->forget_unissued_beyond(state_.budget);
    result.open_loop = std::move(open_loop_);
    return result;
  }

  Ticks drain(Ticks stamp) noexcept {
    while (state_.busy() && !state_.failed()) {
      submit(stamp);
      const bool cancels = control_.cancel.load(std::memory_order_relaxed);
      if (cancels) state_.visit_in_flight([&](std::uint32_t tag) { queue_.cancel(tag); });
      if (!state_.failed()) stamp = reap(stamp, 1);
    }
    return stamp;
  }

  static constexpr std::uint32_t kAhead = 64;  // operations generated at a time

  // In the order of use: an I/O of a slow engine finds little of this in the cache.
  const WorkerSetup& setup_;
  Clock& clock_;
  const QueueCalls queue_;
  const TickScale scale_;
  const Ticks end_;
  PhaseControl& control_;
  WorkerShared& shared_;
  WorkerState state_;
  SlotRecorder recorder_;
  RoundSamples rounds_;
  struct {
    std::uint64_t operations = 0, bytes = 0;
  } moved_;  // since progress was last published
  BatchSize batch_;
  std::uint32_t ahead_next_ = kAhead;
  IoSource& source_;
  std::unique_ptr<OpenLoop> open_loop_;  // kPaced only
  std::unique_ptr<LoadExtras> extras_;   // kExtras only
  std::uint32_t started_length_ = 0;     // kExtras only: of the last operation
  std::uint64_t sequence_;               // of writes; the worker's number in the upper 16 bits
  Operation ahead_[kAhead];
};

}  // namespace diskproof
