// The service model: limits, servers, service times, and the scripted exceptions.
#include "disk_model.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace sim {
namespace {

bool is_sync(std::uint8_t op) noexcept { return op == DP_OP_FSYNC || op == DP_OP_FDATASYNC; }

template <std::size_t... kIndex>
std::array<Limit, kLimits> make_limits(const Script& script, std::uint64_t ticks_per_second,
                                       std::index_sequence<kIndex...>) {
  return {Limit(script.limits[kIndex], ticks_per_second)...};
}

void push(std::vector<std::uint64_t>& heap, std::uint64_t time) noexcept {
  heap.push_back(time);
  std::push_heap(heap.begin(), heap.end(), std::greater<>{});
}

void pop(std::vector<std::uint64_t>& heap) noexcept {
  std::pop_heap(heap.begin(), heap.end(), std::greater<>{});
  heap.pop_back();
}

}  // namespace

DiskModel::DiskModel(const Script& script, std::uint64_t ticks_per_second)
    : script_(script),
      limits_(make_limits(script, ticks_per_second, std::make_index_sequence<kLimits>{})),
      service_(script.service),
      dice_(script.service.seed),
      errors_(script.errors),
      shorts_(script.shorts),
      tail_(script.tail),
      faults_(script.faults),
      servers_(script.parallelism, 0) {}

void DiskModel::attach(DiskMemory& memory, bool alone, std::uint64_t now) {
  memory_ = &memory;
  if (!alone) return;
  memory.lock.unlock();
  for (std::size_t i = 0; i < kLimits; ++i) limits_[i].begin(memory.limits[i], now, script_.credits_at_start);
}

void DiskModel::expect(std::uint32_t depth) {
  if (script_.depth_time == 0) return;
  const std::scoped_lock lock(memory_->lock);
  expected_ += depth;
  in_flight_.reserve(expected_ + in_flight_.size());
}

Fate DiskModel::serve(const dp_io& io, std::uint64_t now) noexcept {
  const std::scoped_lock lock(memory_->lock);
  const std::uint64_t number = ++operations_;
  Fate fate{.ending = ending_of(number), .started_at = now, .done_at = now, .result = io.length};
  if (fate.ending != Ending::completes) return fate;
  const bool is_tail = tail_.finds(io);
  if (!is_tail && is_cached(io, number)) {
    fate.done_at = now + script_.cache_time;
  } else {
    time(io, now, is_tail, fate);
  }
  const bool is_short = shorts_.finds(io);
  fate.fault_number = faults_.finds(io) ? number : 0;
  if (errors_.finds(io)) {
    fate.result = -static_cast<std::int64_t>(script_.error_code);
    fate.os_code = script_.error_number;
  } else if (is_short) {
    fate.result = io.length / 2;
  }
  return fate;
}

Ending DiskModel::ending_of(std::uint64_t number) const noexcept {
  if (number == script_.abort_at) return Ending::aborts;
  if (number == script_.exit_at) return Ending::exits;
  if (number == script_.hang_at) return Ending::hangs;
  if (number == script_.stuck_at) return Ending::stuck;
  return Ending::completes;
}

bool DiskModel::is_cached(const dp_io& io, std::uint64_t number) const noexcept {
  return script_.cache_hits != 0 && io.op == DP_OP_READ && dice_.pick(Stream::cache, number, 100) < script_.cache_hits;
}

void DiskModel::time(const dp_io& io, std::uint64_t now, bool is_tail, Fate& fate) noexcept {
  std::uint64_t service = service_.of(operations_);
  const bool counts_company = script_.depth_time != 0;
  if (counts_company) service += script_.depth_time * company_at(now);
  if (is_tail) service = script_.tail_time;
  fate.started_at = start_of(io, now);
  fate.done_at = fate.started_at + service;
  if (counts_company) push(in_flight_, fate.done_at);
  if (!servers_.empty()) {
    pop(servers_);
    push(servers_, fate.done_at);
  }
}

// The other operations in flight.
std::uint64_t DiskModel::company_at(std::uint64_t now) noexcept {
  while (!in_flight_.empty() && in_flight_.front() <= now) pop(in_flight_);
  return in_flight_.size();
}

std::uint64_t DiskModel::start_of(const dp_io& io, std::uint64_t now) noexcept {
  std::uint64_t at = servers_.empty() ? now : std::max(now, servers_.front());
  if (is_sync(io.op)) return at;
  const bool reads = io.op == DP_OP_READ;
  at = limited(reads ? kReadIops : kWriteIops, at, 1);
  at = limited(kTotalIops, at, 1);
  if (io.op == DP_OP_TRIM) memory_->written -= std::min<std::uint64_t>(memory_->written, io.length);
  if (!reads && io.op != DP_OP_WRITE) return at;  // trim and write_zeroes move no bytes
  at = limited(reads ? kReadBandwidth : kWriteBandwidth, at, io.length);
  at = limited(kTotalBandwidth, at, io.length);
  return reads ? at : behind_cliff(io, at);
}

std::uint64_t DiskModel::limited(LimitName name, std::uint64_t at, std::uint64_t units) noexcept {
  return limits_[name].start(memory_->limits[name], at, units);
}

std::uint64_t DiskModel::behind_cliff(const dp_io& io, std::uint64_t at) noexcept {
  const bool is_behind = memory_->written >= script_.cliff_after;
  memory_->written += io.length;
  if (!is_behind) return at;
  at = limited(kCliffIops, at, 1);
  return limited(kCliffBandwidth, at, io.length);
}

}  // namespace sim
