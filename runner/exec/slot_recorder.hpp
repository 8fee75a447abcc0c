// One worker's place in the interval series: the slot that completions are counted in, and its rotation when time
// passes the slot's edge. Warm-up slots, window slots and the drain are the same thing to the measured loop.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "metrics/interval_series.hpp"
#include "support/clock.hpp"

namespace diskproof {

inline constexpr Ticks kNever = ~Ticks{0};

// When a phase does what, in ticks of its clock.
struct Window {
  Ticks go = 0;
  Ticks begin = 0;  // end of the warm-up
  Ticks end = 0;    // kNever: a counted phase, ends with its last operation
  std::uint64_t warmup_ns = 0;
  std::uint64_t grid_ns = 0;  // length of a slot; > 0
  TickScale scale{};

  // Where slot `index` begins. Each edge is rounded on its own, so that slots do not drift from the grid.
  [[nodiscard]] Ticks edge(std::int64_t index) const noexcept {
    if (index >= 0) return begin + scale.from_ns(static_cast<std::uint64_t>(index) * grid_ns);
    return begin - scale.from_ns(static_cast<std::uint64_t>(-index) * grid_ns);
  }
};

// Told when time passes an edge of the window; called at most once each.
class WindowEdges {
 public:
  virtual ~WindowEdges() = default;
  virtual void window_begins(Ticks begin) noexcept = 0;
  virtual void window_ends(Ticks end) noexcept = 0;
};

class SlotRecorder {
 public:
  SlotRecorder(std::uint32_t worker, const Window& window, IntervalSeries& series, WindowEdges* edges = nullptr);

  // Opens the first slot, at the window's go.
  void start() noexcept { enter(window_.go); }

  // Moves on to the slot that holds `stamp`; publishes the slots that it leaves, also empty ones.
  void advance(Ticks stamp) noexcept {
    if (stamp >= slot_end_) [[unlikely]]
      rotate(stamp);
  }
  // Counts of a direction in the present slot; after the window, of the drain. The loop records latencies, bytes and
  // errors; `operations` follows from the latencies when the slot is published.
  DirectionTotals& counts(Direction direction) noexcept { return *counts_[static_cast<std::size_t>(direction)]; }
  // Edge of the present slot; kNever while draining.
  [[nodiscard]] Ticks slot_end() const noexcept { return slot_end_; }
  [[nodiscard]] bool in_window() const noexcept { return index_ >= 0 && !draining(); }
  [[nodiscard]] bool draining() const noexcept { return current_ == drain_.get(); }

  // Ends the window at `stamp`, unless it has ended: the last slot is as long as it got to be.
  void close(Ticks stamp) noexcept;

  [[nodiscard]] Ticks window_end() const noexcept { return window_end_; }
  [[nodiscard]] const WorkerSlot& drain() const noexcept { return *drain_; }
  // CPU time of this thread inside the window.
  [[nodiscard]] ThreadCpu cpu() const noexcept {
    return {cpu_end_.user - cpu_begin_.user, cpu_end_.system - cpu_begin_.system};
  }

 private:
  void rotate(Ticks stamp) noexcept;
  void publish(Ticks end) noexcept;
  void enter(Ticks begin) noexcept;
  void count_into(WorkerSlot& slot) noexcept;

  Ticks slot_end_ = 0;                                  // first what the loop reads
  std::array<DirectionTotals*, kDirections> counts_{};  // of current_
  std::uint32_t worker_;
  Window window_;
  IntervalSeries& series_;
  WindowEdges* edges_;
  std::unique_ptr<WorkerSlot> slot_, drain_;
  WorkerSlot* current_;
  std::int64_t index_ = 0;
  Ticks slot_begin_ = 0;
  Ticks window_end_;
  ThreadCpu cpu_begin_{}, cpu_end_{};
};

}  // namespace diskproof
