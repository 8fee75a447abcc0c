// What a phase's monitor asks while it runs and after: stuck I/O, progress, rows, the sum of it all.
#include <algorithm>
#include <fmt/format.h>

#include "exec/phase_execution.hpp"
#include "exec/phase_lane.hpp"
#include "integrity/fault_list.hpp"
#include "support/error.hpp"

namespace diskproof {

std::optional<StuckIo> PhaseExecution::find_stuck() const {
  const TickScale scale = clock_.scale();
  const Ticks now = clock_.now();
  std::optional<StuckIo> worst;
  for (const auto& lane : lanes_) {
    const auto oldest = lane->shared.in_flight.oldest();
    if (!oldest || oldest->submitted >= now) continue;
    const std::uint64_t age = scale.to_ns(now - oldest->submitted);
    if (age <= phase_.io_timeout || (worst && worst->age >= age)) continue;
    worst = StuckIo{lane->index, oldest->tag, oldest->offset, age};
  }
  return worst;
}

std::string PhaseExecution::find_hanging_close() const {
  for (const auto& lane : lanes_) {
    const std::uint64_t since = lane->closing_since.load();
    const std::uint64_t now = monotonic_ns();
    if (since == 0 || now < since || now - since <= phase_.io_timeout) continue;
    return fmt::format(
        "the engine hangs in queue_close: worker {} has waited for it for {:.1f} s (io_timeout {:.1f} s)", lane->index,
        static_cast<double>(now - since) / 1e9, static_cast<double>(phase_.io_timeout) / 1e9);
  }
  return {};
}

PhaseTick PhaseExecution::tick() {
  if (go_ns_ == 0) return {PhaseTick::Stage::warmup};
  std::uint64_t operations = 0, bytes = 0;
  bool draining = true;
  for (const auto& lane : lanes_) {
    operations += lane->shared.progress.operations.load(std::memory_order_relaxed);
    bytes += lane->shared.progress.bytes.load(std::memory_order_relaxed);
    draining = draining && lane->shared.progress.in_drain.load(std::memory_order_relaxed);
  }
  const std::uint64_t now = std::max(monotonic_ns(), go_ns_);
  const double since = static_cast<double>(std::max<std::uint64_t>(now - last_tick_ns_, 1)) / 1e9;
  PhaseTick tick;
  tick.elapsed = static_cast<double>(now - go_ns_) / 1e9;
  tick.written = phase_.operations.write >= 100 ? std::max(written_, bytes) : written_;
  tick.iops = static_cast<double>(operations - last_operations_) / since;
  tick.bandwidth = static_cast<double>(bytes - last_bytes_) / since;
  if (counted(phase_)) {
    const double all =
        phase_.stop.kind == StopRule::Kind::bytes ? static_cast<double>(bytes) : static_cast<double>(operations);
    tick.done = std::min(all / static_cast<double>(phase_.stop.value), 1.0);
  } else {
    tick.total = static_cast<double>(phase_.warmup + phase_.stop.value) / 1e9;
    tick.done = std::min(tick.elapsed / tick.total, 1.0);
  }
  tick.stage = draining                                                  ? PhaseTick::Stage::drain
               : tick.elapsed < static_cast<double>(phase_.warmup) / 1e9 ? PhaseTick::Stage::warmup
                                                                         : PhaseTick::Stage::measure;
  last_tick_ns_ = now;
  last_operations_ = operations;
  last_bytes_ = bytes;
  return tick;
}

void PhaseExecution::keep_finished_rows() {
  for (Interval& row : series_.take_finished()) {
    written_ += row.directions[static_cast<std::size_t>(Direction::write)].bytes;
    (row.index < 0 ? warmup_rows_ : rows_).push_back(std::move(row));
  }
}

std::vector<Interval> PhaseExecution::take_intervals() {
  keep_finished_rows();
  std::vector<Interval> fresh(rows_.begin() + static_cast<std::ptrdiff_t>(rows_taken_), rows_.end());
  rows_taken_ = rows_.size();
  return fresh;
}

void PhaseExecution::add_open_loop(const WorkerResult& result, RunData& data) const {
  if (!result.open_loop) return;
  if (!data.open_loop) data.open_loop.emplace().rate = phase_.rate;
  const OpenLoop& part = *result.open_loop;
  data.open_loop->issued += part.issued;
  data.open_loop->unissued += part.unissued;
  data.open_loop->due = data.open_loop->due.value_or(0) + part.due;
  for (std::size_t i = 0; i < kDirections; ++i) data.open_loop->service_latency[i].merge(part.service[i]);
  data.open_loop->lateness.merge(part.lateness);
}

void PhaseExecution::add_looks(const RoundTotals& rounds, RunData& data) const {
  if (rounds.whole == 0) return;
  if (!data.looks) data.looks.emplace();
  data.looks->own += clock_.scale().to_ns(rounds.own);
  data.looks->whole += clock_.scale().to_ns(rounds.whole);
  data.looks->batches += rounds.batches;
  data.looks->batches_seen_whole += rounds.batches_seen_whole;
}

// Of the workers that have ended.
void PhaseExecution::add_integrity(RunData& data) const {
  if (integrity_ == nullptr) return;
  VerifyTotals& sum = data.verify.emplace();
  for (const auto& lane : lanes_) {
    if (!lane->ended || !lane->integrity) continue;
    VerifyTotals part = lane->integrity->totals;
    part.busy = clock_.scale().to_ns(lane->integrity->busy);
    part.wall = clock_.scale().to_ns(lane->integrity->wall);
    add_totals(sum, std::move(part));
  }
  if (phase_.kind == PhaseKind::verify) sum.expected = integrity_->expected();
}

void PhaseExecution::add_facts(RunData& data) const {
  ClockFacts& clock = data.clock.emplace();
  clock.source = clock_.counts_cycles() ? "cycles" : "monotonic";
  clock.ticks_per_second = clock_.scale().ticks_per_second;
  if (clock_.counts_cycles()) {
    clock.drift_before = drift_ppm(clock_.scale(), clock_.calibration(), at_start_);
    clock.drift = drift_ppm(clock_.scale(), at_start_, sample_clocks());
  }
  const BufferPool* first = lanes_.front()->buffers.get();
  if (first == nullptr) return;
  static constexpr const char* kPages[] = {"small", "transparent_huge", "reserved_huge"};
  data.buffers = BufferFacts{first->size() * lanes_.size(), kPages[static_cast<std::size_t>(first->pages())]};
}

RunData PhaseExecution::collect() {
  series_.close();
  keep_finished_rows();
  RunData data;
  series_.add_totals(data.directions);
  data.interval_grid = phase_.interval_grid;
  data.intervals = rows_;
  data.warmup_intervals = warmup_rows_;
  add_facts(data);
  data.window_begin = phase_.warmup;
  data.window_end = phase_.warmup;
  for (const Interval& row : data.intervals) data.window_end += row.duration;

  const std::lock_guard lock(mutex_);
  const TickScale scale = clock_.scale();
  const Ticks go = clock_.at(go_ns_);
  std::vector<WorkerStalls> stalls;
  Ticks begin = kNever, end = 0, integral = 0, in_window = 0;
  for (const auto& lane : lanes_) {
    if (!lane->ended) {
      data.drain.finished = false;
      continue;
    }
    const WorkerResult& result = lane->result;
    if (result.measured) {
      begin = std::min(begin, result.window_begin);
      end = std::max(end, result.window_end);
      stalls.push_back({result.stalls.gaps(), result.window_begin, result.window_end});
    }
    integral += result.in_flight_integral;
    in_window += result.in_window_time;
    data.cpu_user += result.cpu.user;
    data.cpu_system += result.cpu.system;
    data.drain.operations += result.drain.operations;
    data.drain.latency_max = std::max(data.drain.latency_max, result.drain.latency_max);
    for (std::size_t i = 0; i < kDirections; ++i) {
      std::uint64_t& longest = data.drain.direction_latency_max[i];
      longest = std::max(longest, result.drain.direction_latency_max[i]);
    }
    data.drain.finished = data.drain.finished && result.drain.finished;
    add_open_loop(result, data);
    if (result.measured) add_looks(result.rounds, data);
    data.error_examples.insert(data.error_examples.end(), result.errors.begin(), result.errors.end());
  }
  add_integrity(data);
  if (data.looks && data.looks->whole == 0) data.looks.reset();
  if (begin < end) {
    data.window_begin = scale.to_ns(begin - go);
    data.window_end = scale.to_ns(end - go);
  }
  data.in_flight_integral = static_cast<double>(scale.to_ns(integral));
  data.in_window_time = static_cast<double>(scale.to_ns(in_window));
  data.stall_max = scale.to_ns(longest_common_gap(stalls));
  return data;
}

std::string PhaseExecution::failure() {
  const std::lock_guard lock(mutex_);
  if (open_error_) std::rethrow_exception(open_error_);
  for (const auto& lane : lanes_) {
    if (!lane->result.failure.empty()) return lane->result.failure;
  }
  if (control_.too_many_errors.load(std::memory_order_relaxed)) {
    std::string text =
        fmt::format("{} I/O errors, {} allowed by max_errors", control_.errors.load(), control_.max_errors);
    for (const auto& lane : lanes_) {
      if (lane->result.errors.empty()) continue;
      const IoErrorExample& example = lane->result.errors.front();
      return text + fmt::format("; at offset {} of {}: {}", example.offset, phase_.targets.at(lane->slice.target).spec,
                                example.text);
    }
    return text;
  }
  return {};
}

}  // namespace diskproof
