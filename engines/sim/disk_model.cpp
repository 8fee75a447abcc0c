// The service model: pacing, servers, and the scripted exceptions.
#include "disk_model.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>

namespace sim {
namespace {

bool every(std::uint64_t interval, std::uint64_t number) noexcept { return interval != 0 && number % interval == 0; }

bool is_sync(std::uint8_t op) noexcept { return op == DP_OP_FSYNC || op == DP_OP_FDATASYNC; }

}  // namespace

std::uint64_t Pacer::start(std::uint64_t at, std::uint64_t units) noexcept {
  if (rate_ == 0) return at;
  if (at > next_) {
    next_ = at;
    remainder_ = 0;
  }
  const std::uint64_t begin = next_;
  remainder_ += units * ticks_per_second_;  // units <= 1 GiB (a region), so this fits up to 17 GHz
  next_ += remainder_ / rate_;
  remainder_ %= rate_;
  return begin;
}

DiskModel::DiskModel(const Script& script, std::uint64_t ticks_per_second)
    : script_(script),
      read_iops_(script.read_iops, ticks_per_second),
      write_iops_(script.write_iops, ticks_per_second),
      total_iops_(script.total_iops, ticks_per_second),
      read_bytes_(script.read_bandwidth, ticks_per_second),
      write_bytes_(script.write_bandwidth, ticks_per_second),
      total_bytes_(script.total_bandwidth, ticks_per_second),
      servers_(script.parallelism, 0) {}

Fate DiskModel::serve(const dp_io& io, std::uint64_t now) noexcept {
  const std::scoped_lock lock(mutex_);
  const std::uint64_t number = ++operations_;
  if (number == script_.abort_at) std::abort();
  if (number == script_.exit_at) std::_Exit(7);
  if (number == script_.hang_at) return {.ending = Ending::hang};
  if (number == script_.stuck_at) return {.ending = Ending::stuck};

  Fate fate{.result = io.length};
  const std::uint64_t service = number == script_.tail_at ? script_.tail_time : script_.service_time;
  fate.done_at = start_of(io, now) + service;
  if (!servers_.empty()) {
    std::pop_heap(servers_.begin(), servers_.end(), std::greater<>{});
    servers_.back() = fate.done_at;
    std::push_heap(servers_.begin(), servers_.end(), std::greater<>{});
  }
  if (every(script_.error_every, number)) {
    fate.result = -static_cast<std::int64_t>(script_.error_code);
    fate.os_code = script_.error_number;
  } else if (every(script_.short_every, number) && (io.op == DP_OP_READ || io.op == DP_OP_WRITE)) {
    fate.result = io.length / 2;
  }
  return fate;
}

std::uint64_t DiskModel::start_of(const dp_io& io, std::uint64_t now) noexcept {
  std::uint64_t at = servers_.empty() ? now : std::max(now, servers_.front());
  if (is_sync(io.op)) return at;
  const bool reads = io.op == DP_OP_READ;
  at = (reads ? read_iops_ : write_iops_).start(at, 1);
  at = total_iops_.start(at, 1);
  if (!reads && io.op != DP_OP_WRITE) return at;  // trim and write_zeroes move no bytes
  at = (reads ? read_bytes_ : write_bytes_).start(at, io.length);
  return total_bytes_.start(at, io.length);
}

}  // namespace sim
