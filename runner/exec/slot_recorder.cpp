// Slot rotation: once per interval and worker, off the per-I/O path.
#include "exec/slot_recorder.hpp"

#include <algorithm>

namespace diskproof {

namespace {

bool holds_something(const WorkerSlot& slot) {
  return std::any_of(slot.directions.begin(), slot.directions.end(),
                     [](const DirectionTotals& counts) { return counts.latency.count() + counts.errors > 0; });
}

}  // namespace

SlotRecorder::SlotRecorder(std::uint32_t worker, const Window& window, IntervalSeries& series, WindowEdges* edges)
    : worker_(worker),
      window_(window),
      series_(series),
      edges_(edges),
      slot_(std::make_unique<WorkerSlot>()),
      drain_(std::make_unique<WorkerSlot>()),
      current_(slot_.get()),
      window_end_(window.end) {
  count_into(*slot_);
  index_ = -static_cast<std::int64_t>((window.warmup_ns + window.grid_ns - 1) / window.grid_ns);
  start();
}

void SlotRecorder::count_into(WorkerSlot& slot) noexcept {
  current_ = &slot;
  std::ranges::transform(slot.directions, counts_.begin(), [](DirectionTotals& counts) { return &counts; });
}

void SlotRecorder::enter(Ticks begin) noexcept {
  if (begin == window_.begin) {
    cpu_begin_ = thread_cpu();
    if (edges_ != nullptr) edges_->window_begins(begin);
  }
  slot_begin_ = begin;
  slot_end_ = std::min(window_end_, window_.edge(index_ + 1));
}

void SlotRecorder::rotate(Ticks stamp) noexcept {
  while (stamp >= slot_end_) {
    publish(slot_end_);
    if (slot_end_ >= window_end_) return close(window_end_);
    ++index_;
    enter(slot_end_);
  }
}

void SlotRecorder::publish(Ticks end) noexcept {
  for (DirectionTotals& counts : slot_->directions) counts.operations = counts.latency.count();
  const bool whole = slot_begin_ == window_.edge(index_) && end == window_.edge(index_ + 1);
  const std::uint64_t duration = whole ? window_.grid_ns : window_.scale.to_ns(end - slot_begin_);
  series_.publish(worker_, index_, duration, *slot_);
  slot_->clear();
  slot_begin_ = end;
}

void SlotRecorder::close(Ticks stamp) noexcept {
  if (draining()) return;
  advance(std::min(stamp, window_end_ - 1));
  // A last completion on the very edge has opened a slot of no length, which counts all the same.
  if (stamp > slot_begin_ || holds_something(*slot_)) publish(stamp);
  window_end_ = stamp;
  cpu_end_ = thread_cpu();
  if (edges_ != nullptr) edges_->window_ends(stamp);
  count_into(*drain_);
  slot_end_ = kNever;
  series_.finish_worker(worker_);
}

}  // namespace diskproof
