// Joins the workers' slots into the one interval series of a phase. Every aggregate of the run comes from here: totals
// are the merge of the finished rows, so the sum of the rows equals the whole by construction.
//
// Threads: each worker calls publish once per interval, which costs it one merge; percentiles and totals are computed
// by whoever takes the rows, at least a few times a second, and never while a worker waits.
// Memory: a row is open until its last worker has passed it and it was taken. An open row holds one histogram (59 KB)
// per direction that completed something in it; histograms of finished rows are used again, and if nobody takes rows, a
// worker finishes them.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "metrics/histogram.hpp"
#include "metrics/run_data.hpp"

namespace diskproof {

// What one worker completed in one interval, by direction: the worker's own memory, cleared and used again by it.
struct WorkerSlot {
  std::array<DirectionTotals, kDirections> directions{};

  void clear() noexcept;
};

struct SeriesConfig {
  std::uint32_t workers = 1;
  std::uint64_t grid = 0;    // ns, > 0
  std::uint64_t warmup = 0;  // ns; its rows have negative indices, the earliest may be shorter than the grid
  std::vector<std::uint64_t> latency_bounds;  // ns, ascending: IntervalDirection::above
};

class IntervalSeries {
 public:
  explicit IntervalSeries(SeriesConfig config);

  // Adds a worker's slot. Indices of one worker ascend; those it leaves out were empty. `duration` is the grid except
  // in the last slot of a window, which is published also when it is empty, so that the series reaches the end. Throws
  // std::logic_error for an index that is before the warm-up or not ascending.
  void publish(std::uint32_t worker, std::int64_t index, std::uint64_t duration, const WorkerSlot& slot);

  // This worker publishes nothing more: later rows do not wait for it.
  void finish_worker(std::uint32_t worker);

  // Finishes every open row, whoever has not delivered it. What is published later is left out.
  void close();

  // The rows that became complete since the last call, in order, warm-up first (negative indices).
  std::vector<Interval> take_finished();

  // Adds the totals of the complete rows of the window to `directions`; warm-up is not in them.
  void add_totals(std::array<DirectionTotals, kDirections>& directions);

 private:
  struct OpenRow {
    Interval row;
    bool published = false;  // else a row that every worker left out
    std::array<std::uint64_t, kDirections> error_latency_sum{};
    std::array<std::unique_ptr<Histogram>, kDirections> latency;  // null: nothing completed
  };

  // With open_mutex_ held.
  OpenRow& open_row(std::int64_t index);
  [[nodiscard]] std::size_t complete_rows() const;
  std::unique_ptr<Histogram> take_histogram();

  // With finish_mutex_ held, which is always locked first.
  void finish_complete();
  void finish(OpenRow& open);
  void merge_total_percentiles(OpenRow& open);

  const SeriesConfig config_;

  std::mutex open_mutex_;  // what workers touch, down to spare_
  std::int64_t next_;      // index of the first open row
  std::int64_t end_;       // one past the highest index published
  bool closed_ = false;
  std::vector<std::int64_t> delivered_;  // per worker: one past its last slot
  std::deque<OpenRow> open_;             // rows next_, next_ + 1, …
  std::vector<std::unique_ptr<Histogram>> spare_;

  std::mutex finish_mutex_;  // the rest
  std::vector<Interval> finished_;
  std::array<DirectionTotals, kDirections> totals_{};
  Histogram mixed_;  // scratch for percentiles over directions
};

}  // namespace diskproof
