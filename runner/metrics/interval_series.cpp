// Rows open at the first slot published for them or behind them and finish in order: workers merge under one mutex,
// readers take complete rows out under it and do the rest of the work under another.
#include "metrics/interval_series.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace diskproof {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kMostWaiting = 64;                                           // complete rows that nobody took
constexpr std::uint64_t kP50 = 50'000'000, kP99 = 99'000'000, kP999 = 99'900'000;  // millionths of a percent

std::int64_t warmup_rows(const SeriesConfig& config) {
  return static_cast<std::int64_t>((config.warmup + config.grid - 1) / config.grid);
}

std::uint64_t planned_duration(const SeriesConfig& config, std::int64_t index) {
  const std::int64_t rows = warmup_rows(config);
  if (index != -rows || rows == 0) return config.grid;
  return config.warmup - static_cast<std::uint64_t>(rows - 1) * config.grid;
}

void add_counts(IntervalDirection& to, const DirectionTotals& from) {
  to.operations += from.operations;
  to.bytes += from.bytes;
  to.errors += from.errors;
}

void finish_direction(IntervalDirection& row, const Histogram& latency, const std::vector<std::uint64_t>& bounds) {
  row.latency_sum = latency.sum();
  row.latency_max = latency.max();
  row.p50 = latency.percentile(kP50);
  row.p99 = latency.percentile(kP99);
  row.p999 = latency.percentile(kP999);
  row.above.reserve(bounds.size());
  for (const std::uint64_t bound : bounds) row.above.push_back(latency.count_above(bound));
}

}  // namespace

void WorkerSlot::clear() noexcept {
  for (DirectionTotals& direction : directions) {
    direction.operations = direction.bytes = direction.errors = direction.error_latency_sum = 0;
    direction.latency.clear();
  }
}

IntervalSeries::IntervalSeries(SeriesConfig config) : config_(std::move(config)) {
  if (config_.grid == 0 || config_.workers == 0) throw std::logic_error("interval series without grid or workers");
  next_ = end_ = -warmup_rows(config_);
  delivered_.assign(config_.workers, next_);
}

void IntervalSeries::publish(std::uint32_t worker, std::int64_t index, std::uint64_t duration, const WorkerSlot& slot) {
  std::unique_lock lock(open_mutex_);
  if (closed_) return;
  if (index < delivered_.at(worker)) {
    throw std::logic_error("worker " + std::to_string(worker) + " published interval " + std::to_string(index) +
                           " out of order");
  }
  OpenRow& open = open_row(index);
  open.row.duration = open.published ? std::max(open.row.duration, duration) : duration;
  open.published = true;
  for (std::size_t i = 0; i < kDirections; ++i) {
    const DirectionTotals& from = slot.directions[i];
    add_counts(open.row.directions[i], from);
    open.error_latency_sum[i] += from.error_latency_sum;
    if (from.latency.count() == 0) continue;
    if (!open.latency[i]) open.latency[i] = take_histogram();
    open.latency[i]->merge(from.latency);
  }
  delivered_[worker] = index + 1;
  const bool too_many = complete_rows() > kMostWaiting;
  lock.unlock();
  if (!too_many) return;
  const std::lock_guard finish_lock(finish_mutex_);
  finish_complete();
}

void IntervalSeries::finish_worker(std::uint32_t worker) {
  const std::lock_guard lock(open_mutex_);
  delivered_.at(worker) = kNever;
}

void IntervalSeries::close() {
  const std::lock_guard lock(open_mutex_);
  closed_ = true;
  std::ranges::fill(delivered_, kNever);
}

std::vector<Interval> IntervalSeries::take_finished() {
  const std::lock_guard lock(finish_mutex_);
  finish_complete();
  return std::exchange(finished_, {});
}

void IntervalSeries::add_totals(std::array<DirectionTotals, kDirections>& directions) {
  const std::lock_guard lock(finish_mutex_);
  finish_complete();
  for (std::size_t i = 0; i < kDirections; ++i) {
    directions[i].operations += totals_[i].operations;
    directions[i].bytes += totals_[i].bytes;
    directions[i].errors += totals_[i].errors;
    directions[i].error_latency_sum += totals_[i].error_latency_sum;
    directions[i].latency.merge(totals_[i].latency);
  }
}

IntervalSeries::OpenRow& IntervalSeries::open_row(std::int64_t index) {
  end_ = std::max(end_, index + 1);
  while (next_ + static_cast<std::int64_t>(open_.size()) < end_) {
    OpenRow& added = open_.emplace_back();
    added.row.index = next_ + static_cast<std::int64_t>(open_.size()) - 1;
    added.row.duration = planned_duration(config_, added.row.index);
  }
  return open_[static_cast<std::size_t>(index - next_)];
}

std::size_t IntervalSeries::complete_rows() const {
  const std::int64_t complete = std::min(*std::ranges::min_element(delivered_), end_);
  return complete > next_ ? static_cast<std::size_t>(complete - next_) : 0;
}

void IntervalSeries::finish_complete() {
  std::deque<OpenRow> rows;
  {
    const std::lock_guard lock(open_mutex_);
    for (std::size_t left = complete_rows(); left > 0; --left) {
      rows.push_back(std::move(open_.front()));
      open_.pop_front();
      ++next_;
    }
  }
  for (OpenRow& open : rows) finish(open);
  const std::lock_guard lock(open_mutex_);
  for (OpenRow& open : rows) {
    for (auto& latency : open.latency) {
      if (latency) spare_.push_back(std::move(latency));
    }
  }
}

void IntervalSeries::finish(OpenRow& open) {
  open.row.full = open.row.duration >= config_.grid;
  merge_total_percentiles(open);
  for (std::size_t i = 0; i < kDirections; ++i) {
    IntervalDirection& row = open.row.directions[i];
    Histogram* latency = open.latency[i].get();
    if (latency != nullptr) finish_direction(row, *latency, config_.latency_bounds);
    if (open.row.index >= 0) {
      totals_[i].operations += row.operations;
      totals_[i].bytes += row.bytes;
      totals_[i].errors += row.errors;
      totals_[i].error_latency_sum += open.error_latency_sum[i];
      if (latency != nullptr) totals_[i].latency.merge(*latency);
    }
    if (latency != nullptr) latency->clear();
  }
  finished_.push_back(std::move(open.row));
}

std::unique_ptr<Histogram> IntervalSeries::take_histogram() {
  if (spare_.empty()) return std::make_unique<Histogram>();
  std::unique_ptr<Histogram> histogram = std::move(spare_.back());
  spare_.pop_back();
  return histogram;
}

void IntervalSeries::merge_total_percentiles(OpenRow& open) {
  int used = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(Direction::sync); ++i) used += open.latency[i] ? 1 : 0;
  if (used < 2) return;
  for (std::size_t i = 0; i < static_cast<std::size_t>(Direction::sync); ++i) {
    if (open.latency[i]) mixed_.merge(*open.latency[i]);
  }
  open.row.total = IntervalPercentiles{mixed_.percentile(kP50), mixed_.percentile(kP99), mixed_.percentile(kP999)};
  mixed_.clear();
}

}  // namespace diskproof
