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

#include "exec/in_flight.hpp"
#include "exec/io_source.hpp"
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
  Ticks give_up = 0;        // longest time that an engine with nothing in flight may take nothing
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

struct Tag {
  Ticks submitted = 0;        // of the first part, when an I/O came back short
  std::uint64_t offset = 0;   // of the part in flight
  std::uint32_t length = 0;   // of the part in flight: the result that means success
  std::uint32_t total = 0;    // of the whole operation
  std::byte* data = nullptr;  // of the part in flight
  std::uint8_t op = 0;
  std::uint8_t direction = 0;
  bool in_flight = false;  // the engine has it
  bool resumed = false;    // continues a short I/O: keeps its first stamp
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
};

class WorkerState {
 public:
  static constexpr std::size_t kErrorExamples = 8;

  explicit WorkerState(const WorkerSetup& setup);

  void begin(Ticks stamp) noexcept { last_stamp_ = last_completion_ = stamp; }

  // -- tags and submission
  std::uint32_t take_tag(const Operation& operation, bool measured) noexcept;
  void queue_io(std::uint32_t tag, std::byte* data) noexcept {
    Tag& io = tags[tag];
    io.data = data;
    const std::uint32_t region = tag < setup_.buffers_per_region ? 0 : tag / setup_.buffers_per_region;
    ios_[pending_first_ + pending_count++] = {io.offset, data, io.length, tag, 0, static_cast<std::uint16_t>(region),
                                              io.op,     0,    0};
  }
  [[nodiscard]] const dp_io* pending() const noexcept { return ios_.get() + pending_first_; }
  // Just before the submit call; submitted() takes back what the engine did not take.
  void stamp(std::uint32_t tag, Ticks stamp) noexcept {
    if (!tags[tag].resumed) tags[tag].submitted = stamp;
    tags[tag].in_flight = true;
  }
  void submitted(std::int32_t sent, Ticks stamp, WorkerShared& shared) noexcept;
  void drop_unsubmitted() noexcept;
  std::uint64_t next_sequence() noexcept { return sequence_++; }

  // -- completion
  [[nodiscard]] bool owns(std::uint32_t tag) const noexcept { return tag < setup_.depth && tags[tag].in_flight; }
  std::uint32_t checked_reap(std::int32_t got, Ticks now) noexcept;
  bool resume_short(const dp_done& done) noexcept;
  void completed_one(std::uint32_t tag, Ticks end, Ticks now) noexcept {
    ++operations;
    bytes += tags[tag].total;
    release(tag, end, now);
  }
  void failed_one(std::uint32_t tag, Ticks end, Ticks now) noexcept { release(tag, end, now); }
  void note_error(const dp_done& done) noexcept;

  // -- books: time integral of I/Os in flight over the window
  void integrate(Ticks now) noexcept {
    integral_ += in_flight * (clip(now) - clip(last_stamp_));
    last_stamp_ = now;
  }

  // -- ends
  [[nodiscard]] bool busy() const noexcept { return in_flight > 0 || pending_count > 0; }
  [[nodiscard]] bool failed() const noexcept { return failed_; }
  void fail(std::string_view call, std::int32_t code) noexcept;
  void fail_foreign_tag(std::uint32_t tag) noexcept;
  WorkerResult result(const SlotRecorder& recorder);

  std::unique_ptr<Tag[]> tags;
  std::unique_ptr<dp_done[]> done;
  std::uint32_t free_count;
  std::uint32_t pending_count = 0;
  std::uint32_t in_flight = 0;  // accepted by the engine, not completed
  std::uint64_t budget;
  std::uint64_t operations = 0, bytes = 0;  // completed so far, warm-up and drain included
  Ticks first_measured = kNever;            // counted phases: stamp of the first measured submit
  Ticks window_end;
  std::unique_ptr<WorkerSlot> outside;  // counted phases: the warm-up's operations that complete in the window

 private:
  [[nodiscard]] Ticks clip(Ticks stamp) const noexcept {
    return std::min(std::max(stamp, setup_.window.begin), window_end);
  }
  void release(std::uint32_t tag, Ticks end, Ticks now) noexcept {
    const Ticks end_in_window = clip(end);
    in_window_ += end_in_window - clip(tags[tag].submitted);
    integral_ -= clip(now) - end_in_window;
    tags[tag].in_flight = false;
    tags[tag].resumed = false;
    free_tags_[free_count++] = tag;
    --in_flight;
  }

  const WorkerSetup& setup_;
  std::unique_ptr<dp_io[]> ios_;  // twice the depth: what is pending moves to the front once half is used up
  std::unique_ptr<std::uint32_t[]> free_tags_;
  std::uint32_t pending_first_ = 0;
  Ticks last_stamp_ = 0;
  Ticks last_completion_ = 0;
  Ticks refused_since_ = 0;  // 0: the last submit took something
  Ticks integral_ = 0;
  Ticks in_window_ = 0;
  std::uint64_t sequence_;
  StallLog stalls_;
  std::vector<IoErrorExample> errors_;
  std::string failure_;
  bool failed_ = false;
};

}  // namespace diskproof
