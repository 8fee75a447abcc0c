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
#include "exec/pacer.hpp"
#include "exec/slot_recorder.hpp"
#include "exec/stall_log.hpp"
#include "metrics/run_data.hpp"

namespace diskproof {

// Fixed before the loop starts.
struct WorkerSetup {
  std::uint32_t index = 0;
  std::uint32_t depth = 1;
  std::uint32_t submit_max = 1;  // I/Os per submit call
  std::uint32_t reap_min = 1;    // completions to wait for
  std::uint64_t budget = 0;      // counted phases: measured operations of this worker
  bool final_sync = false;
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
    void store(std::uint64_t ops, std::uint64_t moved) noexcept {
      operations.store(ops, std::memory_order_relaxed);
      bytes.store(moved, std::memory_order_relaxed);
    }
    void draining() noexcept { in_drain.store(true, std::memory_order_relaxed); }
  };

  InFlightTable in_flight;
  Progress progress;
};

// What a tag stands for, beside its entry in the InFlightTable.
struct Tag {
  Ticks resumed_since = 0;   // not 0: continues a short I/O that was first submitted then
  std::uint32_t length = 0;  // of the part in flight: the result that means success
  std::uint32_t total = 0;   // of the whole operation
  std::uint8_t op = 0;
  std::uint8_t direction = 0;
  bool in_flight = false;  // the engine has it
  bool measured = true;    // counted phases: false for the warm-up's
};

struct WorkerResult {
  std::string failure;   // the queue was lost; empty: ended as planned
  bool measured = true;  // false: ended before it measured anything, the window is empty
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
  // Told of the window's edges too.
  void pace_with(OpenLoop* open_loop) noexcept { open_loop_ = open_loop; }

  void begin(Ticks stamp) noexcept { last_stamp_ = last_completion_ = stamp; }

  // -- submission
  // Takes a free tag for an operation that goes to the engine with the next submit, stamped `stamp`.
  const dp_io& start(const Operation& operation, Ticks stamp, bool measured) noexcept {
    const std::uint32_t index = free_tags_[--free_count];
    Tag& tag = tags[index];
    tag.length = tag.total = operation.length;
    tag.op = operation.op;
    tag.direction = kDirectionOf[operation.op];
    tag.measured = measured;
    tag.in_flight = true;
    table_.start(index, stamp, operation.offset);
    dp_io& io = ios_[pending_first_ + pending_count++];
    io = blank_ios_[index];
    io.offset = operation.offset;
    io.length = operation.length;
    io.op = operation.op;
    if (operation.op > DP_OP_WRITE) io.data = nullptr;
    return io;
  }
  [[nodiscard]] const dp_io* pending() const noexcept { return ios_.get() + pending_first_; }
  // Before a submit call: stamps what an earlier call did not take and what continues a short I/O.
  void stamp_leftovers(Ticks stamp) noexcept {
    if (leftovers_) [[unlikely]]
      stamp_again(stamp);
  }
  void submitted(std::int32_t sent, Ticks stamp) noexcept {
    if (sent == static_cast<std::int32_t>(pending_count)) [[likely]] {
      in_flight += pending_count;
      pending_first_ = pending_count = 0;
      refused_since_ = 0;
    } else {
      submitted_partly(sent, stamp);
    }
  }
  void drop_unsubmitted() noexcept;

  // -- completion
  [[nodiscard]] bool owns(std::uint32_t tag) const noexcept { return tag < depth_ && tags[tag].in_flight; }
  [[nodiscard]] Ticks started(std::uint32_t tag) const noexcept { return table_.submitted(tag); }
  // Advances the books to `now`; the number of completions, 0 when the queue is lost.
  std::uint32_t reaped(std::int32_t got, Ticks now) noexcept {
    integral_ += in_flight * (now - last_stamp_);
    last_stamp_ = now;
    if (got > 0 && static_cast<std::uint32_t>(got) <= depth_) [[likely]] {
      stalls_.add({last_completion_, now});
      last_completion_ = now;
      return static_cast<std::uint32_t>(got);
    }
    if (got != 0) fail("reap", got);
    return 0;
  }
  // Nothing was in flight until `now`: no stall, since nothing was asked of the disk.
  void idled(Ticks now) noexcept { last_stamp_ = last_completion_ = now; }
  // When an I/O ended: by the engine's own stamp, where it has one. A stamp from before the submit or from the future
  // breaks the contract; the worker asks stamp_is_sound first.
  [[nodiscard]] Ticks end_of(const dp_done& ended, Ticks now) const noexcept {
    return ended.ticks == 0 ? now : ended.ticks;
  }
  [[nodiscard]] bool stamp_is_sound(const dp_done& ended, Ticks now) const noexcept {
    return ended.ticks == 0 || (ended.ticks >= started(ended.tag) && ended.ticks <= now);
  }
  bool resume_short(const dp_done& short_done) noexcept;
  void release(std::uint32_t index, Ticks end) noexcept {
    time_sum_ += end - started(index);
    integral_ -= last_stamp_ - end;  // it was not in flight since
    tags[index].in_flight = false;
    tags[index].resumed_since = 0;
    table_.finish(index);
    free_tags_[free_count++] = index;
    --in_flight;
  }
  void note_error(const dp_done& failed) noexcept;

  // -- ends
  [[nodiscard]] bool busy() const noexcept { return in_flight > 0 || pending_count > 0; }
  [[nodiscard]] bool failed() const noexcept { return failed_; }
  void fail(std::string_view call, std::int32_t code) noexcept;
  void fail_foreign_tag(std::uint32_t tag) noexcept;
  void fail_unsound_stamp(const dp_done& ended, Ticks now) noexcept;
  void window_begins(Ticks begin) noexcept override;
  void window_ends(Ticks end) noexcept override;
  WorkerResult result(const SlotRecorder& recorder);

  std::unique_ptr<Tag[]> tags;
  std::unique_ptr<dp_done[]> done;
  std::uint32_t free_count;
  std::uint32_t pending_count = 0;
  std::uint32_t in_flight = 0;  // accepted by the engine, not completed
  std::uint64_t budget;
  std::uint64_t operations = 0, bytes = 0;  // completed so far, warm-up and drain included
  Ticks first_measured = kNever;            // counted phases: stamp of the first measured submit
  std::unique_ptr<WorkerSlot> outside;      // counted phases: the warm-up's operations that complete in the window

 private:
  static constexpr std::array<std::uint8_t, 6> kDirectionOf{
      static_cast<std::uint8_t>(Direction::read), static_cast<std::uint8_t>(Direction::write),
      static_cast<std::uint8_t>(Direction::trim), static_cast<std::uint8_t>(Direction::sync),
      static_cast<std::uint8_t>(Direction::sync), static_cast<std::uint8_t>(Direction::write)};

  void stamp_again(Ticks stamp) noexcept;
  void submitted_partly(std::int32_t sent, Ticks stamp) noexcept;
  template <class Visit>
  void visit_started(Visit visit) const noexcept;

  const WorkerSetup& setup_;
  const std::uint32_t depth_;
  InFlightTable& table_;
  OpenLoop* open_loop_ = nullptr;
  std::unique_ptr<dp_io[]> blank_ios_;  // per tag: its buffer, region and number
  std::unique_ptr<dp_io[]> ios_;        // twice the depth: what is pending moves to the front once half is used up
  std::unique_ptr<std::uint32_t[]> free_tags_;
  std::uint32_t pending_first_ = 0;
  bool leftovers_ = false;
  bool failed_ = false;
  Ticks last_stamp_ = 0;
  Ticks last_completion_ = 0;
  Ticks refused_since_ = 0;  // 0: the last submit took something
  Ticks integral_ = 0;
  Ticks time_sum_ = 0;
  StallLog stalls_;
  WorkerResult result_;  // filled when the window ends
  std::vector<IoErrorExample> errors_;
};

}  // namespace diskproof
