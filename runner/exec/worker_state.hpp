// What one worker knows besides its slot: tags, what waits to be submitted, what is in flight, and the integrals that
// the books are checked with. Used by the worker's thread only, except WorkerShared and PhaseControl.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <diskproof/engine_abi.h>

#include "exec/buffer_pool.hpp"
#include "exec/in_flight.hpp"
#include "exec/io_source.hpp"
#include "exec/load_extras.hpp"
#include "exec/pacer.hpp"
#include "exec/round_samples.hpp"
#include "exec/slot_recorder.hpp"
#include "exec/stall_log.hpp"
#include "metrics/run_data.hpp"

namespace diskproof {

// Fixed before the loop starts.
struct WorkerSetup {
  std::uint32_t index = 0;
  std::uint32_t depth = 1;
  std::uint32_t batch = 0;   // I/Os per submit call; 0: auto
  std::uint64_t budget = 0;  // counted phases: measured operations of this worker, or bytes, see extras
  Ticks load_end = kNever;   // where the load ends, by the clock; kNever: a counted phase
  bool final_flush = false;  // inside the window, which then ends with it
  std::uint8_t flush_op = DP_OP_FSYNC;
  ExtrasSetup extras;
  std::uint32_t buffers_per_region = ~std::uint32_t{0};
  Window window;
  Ticks poll_interval = 0;  // longest wait in reap, so that stop is seen
  Ticks poll_ahead = 0;     // paced: so long before an intended start waiting turns into polling
  PaceSetup pace;
  Ticks give_up = 0;  // longest time that an engine with nothing in flight may take nothing
};

// Seen by all workers and the monitor.
struct PhaseControl {
  std::atomic<bool> stop{false};
  std::atomic<bool> cancel{false};  // what is in flight while draining
  std::atomic<bool> too_many_errors{false};
  std::atomic<std::uint64_t> errors{0};
  std::uint64_t max_errors = 0;

  void count_error() noexcept {
    if (errors.fetch_add(1, std::memory_order_relaxed) + 1 <= max_errors) return;
    too_many_errors.store(true, std::memory_order_relaxed);
    stop.store(true, std::memory_order_relaxed);
  }
};

// Written by the worker, read by the monitor: relaxed, single writer, on cache lines of its own.
struct alignas(128) WorkerShared {
  explicit WorkerShared(std::uint32_t depth) : in_flight(depth) {}

  struct Progress {
    std::atomic<std::uint64_t> operations{0}, bytes{0};
    std::atomic<bool> in_drain{false};
    void add(std::uint64_t more_operations, std::uint64_t more_bytes) noexcept {
      operations.store(operations.load(std::memory_order_relaxed) + more_operations, std::memory_order_relaxed);
      bytes.store(bytes.load(std::memory_order_relaxed) + more_bytes, std::memory_order_relaxed);
    }
    void draining() noexcept { in_drain.store(true, std::memory_order_relaxed); }
  };

  InFlightTable in_flight;
  Progress progress;
};

inline constexpr std::array kDirectionOf{Direction::read, Direction::write, Direction::trim,
                                         Direction::sync, Direction::sync,  Direction::write};  // by enum dp_op

struct WorkerResult {
  std::string failure;   // the queue was lost; empty: ended as planned
  bool measured = true;  // false: ended before it measured anything, the window is empty
  RoundTotals rounds;
  Ticks window_begin = 0, window_end = 0;
  Ticks in_flight_integral = 0;
  Ticks in_window_time = 0;
  StallLog stalls;
  ThreadCpu cpu;
  Drain drain;
  std::vector<IoErrorExample> errors;
  std::unique_ptr<OpenLoop> open_loop;  // paced: what it measured; else null
};

// Books, in ticks: `integral` is the time integral of I/Os in flight, advanced once per batch; `time_sum` the sum of
// every I/O's time, advanced once per I/O. Both run freely and are corrected at the window's edges for what is in
// flight there, so that the loop never asks where the window is.
class WorkerState final : public WindowEdges {
 public:
  static constexpr std::size_t kErrorExamples = 8;

  WorkerState(const WorkerSetup& setup, BufferPool& buffers, InFlightTable& in_flight);
  // Each is told of the window's edges too.
  void watch(RoundSamples* rounds) noexcept { rounds_ = rounds; }
  void pace_with(OpenLoop* open_loop) noexcept { open_loop_ = open_loop; }

  void begin(Ticks stamp) noexcept { last_stamp_ = last_completion_ = stamp; }

  // -- submission
  [[nodiscard]] std::uint32_t free_count() const noexcept { return free_end_ - free_begin_; }
  // Takes `count` free tags, in the order in which they became free, and room for as many I/Os, which go to the engine
  // with the next submit: `fill(io, tag)` fills each through start.
  template <class Fill>
  void append(std::uint32_t count, Fill&& fill) noexcept {
    dp_io* const ios = pending_ + pending_count;
    const std::uint32_t first = free_begin_;
    free_begin_ += count;
    pending_count += count;
    for (std::uint32_t i = 0; i < count; ++i) fill(ios[i], free_tags_[(first + i) & free_mask_]);
  }
  // Gives `tag` an operation, stamped `stamp`, and writes it to `io`.
  void start(dp_io& io, std::uint32_t index, const Operation& operation, Ticks stamp, bool measured) noexcept {
    Tag& tag = tags_[index];
    tag.submitted.store(stamp, std::memory_order_relaxed);
    tag.offset.store(operation.offset, std::memory_order_relaxed);
    tag.length = operation.length;
    tag.op = operation.op;
    tag.measured = measured;
    io.offset = operation.offset;
    io.data = tag.data;
    io.length = operation.length;
    io.tag = index;
    io.region = tag.region;
    io.op = operation.op;
    if (operation.op > DP_OP_WRITE) io.data = nullptr;
  }
  [[nodiscard]] const dp_io* pending() const noexcept { return pending_; }
  // Before a submit call: stamps what an earlier call did not take and what continues a short I/O.
  void stamp_leftovers(Ticks stamp) noexcept {
    if (leftovers_) [[unlikely]]
      stamp_again(stamp);
  }
  // The same for all that is pending, where preparing it took its time: the books go on to `now`. A short I/O that goes
  // on has been in flight all the time, as its own times say.
  void stamp_pending(Ticks now) noexcept {
    integral_ += (in_flight + continued()) * (now - last_stamp_);
    last_stamp_ = now;
    stamp_again(now);
  }
  // `visit(tag)` for each that is pending and of which nothing went to the engine yet.
  template <class Visit>
  void visit_unsubmitted(Visit visit) const noexcept {
    for (const dp_io* io = pending(); io != pending() + pending_count; ++io) {
      if (tags_[io->tag].first_submitted == 0) visit(io->tag);
    }
  }
  void submitted(std::int32_t sent, Ticks stamp) noexcept {
    if (in_flight == 0) last_completion_ = stamp;  // waiting begins
    if (sent == static_cast<std::int32_t>(pending_count)) [[likely]] {
      in_flight += pending_count;
      pending_count = 0;
      pending_ = ios_.get();
      refused_since_ = 0;
    } else {
      submitted_partly(sent, stamp);
    }
  }
  void drop_unsubmitted() noexcept;

  // -- completion
  [[nodiscard]] bool owns(std::uint32_t index) const noexcept { return index < depth_ && tags_[index].started() != 0; }
  [[nodiscard]] Tag& tag(std::uint32_t index) noexcept { return tags_[index]; }
  // Advances the books to `now`; the number of completions, 0 when the queue is lost.
  std::uint32_t reaped(std::int32_t got, Ticks now) noexcept {
    integral_ += in_flight * (now - last_stamp_);
    last_stamp_ = now;
    if (got > 0 && static_cast<std::uint32_t>(got) <= depth_) [[likely]] {
      return static_cast<std::uint32_t>(got);
    }
    if (got != 0) fail("reap", got);
    return 0;
  }
  // An I/O ended, in the order in which the engine tells of them.
  void completed(Ticks end) noexcept {
    if (end <= last_completion_) return;
    stalls_.add({last_completion_, end});
    last_completion_ = end;
  }
  // Nothing was in flight until `now`: no stall, since nothing was asked of the disk.
  void idled(Ticks now) noexcept { last_stamp_ = last_completion_ = now; }
  // The engine's own stamp of an end must lie between the submit and now.
  [[nodiscard]] bool stamp_is_sound(const dp_done& ended, Ticks now) noexcept {
    stamps_ends_ = true;
    return ended.ticks >= tags_[ended.tag].started() && ended.ticks <= now;
  }
  bool resume_short(const dp_done& short_done) noexcept;
  template <class Visit>
  void visit_in_flight(Visit visit) const noexcept {
    for (std::uint32_t tag = 0; tag < depth_; ++tag) {
      if (tags_[tag].started() != 0) visit(tag);
    }
  }
  // Whether this ends an operation that went on after a short I/O: its length, else 0.
  std::uint32_t end_continued(const dp_done& last) noexcept;
  // It was in flight from `started` to `end`; the books have counted it up to `now`.
  void release(std::uint32_t index, Tag& tag, Ticks started, Ticks end, Ticks now) noexcept {
    time_sum_ += end - started;
    if (end != now) [[unlikely]]
      integral_ -= now - end;
    tag.submitted.store(0, std::memory_order_relaxed);
    free_tags_[free_end_++ & free_mask_] = index;
    --in_flight;
  }
  void note_error(const dp_done& failed) noexcept;

  // -- ends
  [[nodiscard]] bool busy() const noexcept { return in_flight > 0 || pending_count > 0; }
  [[nodiscard]] bool failed() const noexcept { return failed_; }
  // The engine has stamped ends itself: a batch that is reaped as a whole has latencies of its own for each I/O.
  [[nodiscard]] bool stamps_ends() const noexcept { return stamps_ends_; }
  void fail(std::string_view call, std::int32_t code) noexcept;
  void fail_foreign_tag(std::uint32_t tag) noexcept;
  void fail_unsound_stamp(const dp_done& ended, Ticks now) noexcept;
  void window_begins(Ticks begin) noexcept override;
  void window_ends(Ticks end) noexcept override;
  WorkerResult result(const SlotRecorder& recorder);

  // The loop's own, close together.
  std::uint32_t pending_count = 0;
  std::uint32_t in_flight = 0;  // accepted by the engine, not completed
  std::unique_ptr<dp_done[]> done;

 private:
  [[nodiscard]] std::uint32_t continued() const noexcept;  // of what is pending
  void stamp_again(Ticks stamp) noexcept;
  void submitted_partly(std::int32_t sent, Ticks stamp) noexcept;
  template <class Visit>
  void visit_started(Visit visit) const noexcept;

  dp_io* pending_;  // the first of pending_count, in ios_
  Tag* const tags_;
  // A ring: first freed, first used, so that an I/O does not wait for the memory of the one before it. Both ends only
  // grow.
  std::unique_ptr<std::uint32_t[]> free_tags_;
  const std::uint32_t free_mask_;
  std::uint32_t free_begin_ = 0, free_end_;
  const std::uint32_t depth_;
  bool leftovers_ = false;
  bool failed_ = false;
  bool stamps_ends_ = false;
  Ticks integral_ = 0;
  Ticks time_sum_ = 0;
  Ticks last_stamp_ = 0;
  Ticks last_completion_ = 0;
  Ticks refused_since_ = 0;  // 0: the last submit took something
  StallLog stalls_;

 public:
  std::uint64_t budget;
  Ticks first_measured = kNever;        // counted phases: stamp of the first measured submit
  std::unique_ptr<WorkerSlot> outside;  // counted phases: the warm-up's operations that complete in the window

 private:
  const WorkerSetup& setup_;
  OpenLoop* open_loop_ = nullptr;
  RoundSamples* rounds_ = nullptr;
  // Twice the depth: what is pending moves to the front once half is used up. What is never written stays 0: target,
  // flags.
  std::unique_ptr<dp_io[]> ios_;
  WorkerResult result_;  // filled when the window ends
  std::vector<IoErrorExample> errors_;
};

}  // namespace diskproof
