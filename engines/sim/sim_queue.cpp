// What the disk decided is done to the content at once and reported when its time has come.
#include "sim_queue.hpp"

#include <algorithm>
#include <cstdlib>

namespace sim {

SimQueue::SimQueue(SimEngine& engine, const dp_queue_params& params)
    : host_(engine.host()), disk_(engine.model()), contents_(engine.attach(params)), stuck_(params.depth, false) {
  pending_.reserve(params.depth);
  for (const dp_target& target : std::span(params.targets, params.target_count)) sizes_.push_back(target.size);
}

std::int32_t SimQueue::submit(std::span<const dp_io> ios) noexcept {
  const std::uint64_t now = host_.now();
  std::int32_t taken = 0;
  for (const dp_io& io : ios) {
    if (in_flight() == stuck_.size()) break;
    const Fate fate = serve(io, now);
    if (fate.ending == Ending::completes) {
      push({fate.started_at, fate.done_at, sequence_++, fate.result, io.tag, fate.os_code});
    } else if (fate.ending == Ending::stuck) {
      stuck_[io.tag] = true;
      ++stuck_count_;
    } else {
      end(fate.ending);
    }
    ++taken;
  }
  return taken;
}

Fate SimQueue::serve(const dp_io& io, std::uint64_t now) noexcept {
  if (!is_inside(io)) return {.started_at = now, .done_at = now, .result = -DP_EINVAL};
  Fate fate = disk_.serve(io, now);
  if (contents_.empty() || fate.ending != Ending::completes || fate.result < 0) return fate;
  const auto length = static_cast<std::uint32_t>(fate.result);
  const Failure failure = contents_[io.target]->apply(io, length, fate.fault_number);
  if (failure.code != DP_OK) {
    fate.result = -static_cast<std::int64_t>(failure.code);
    fate.os_code = failure.os_code;
  }
  return fate;
}

bool SimQueue::is_inside(const dp_io& io) const noexcept {
  if (io.target >= sizes_.size()) return false;
  const std::uint64_t size = sizes_[io.target];
  return io.length == 0 || (io.offset < size && io.length <= size - io.offset);
}

std::int32_t SimQueue::reap(std::span<dp_done> done, std::uint32_t min, std::uint64_t timeout_ns) noexcept {
  std::uint64_t now = host_.now();
  std::size_t count = take_due(done, 0, now);
  const std::size_t wanted = std::min<std::size_t>(min, done.size());
  const std::uint64_t deadline = host_.after(now, timeout_ns);
  while (count < wanted && now < deadline) {
    host_.wait_until(pending_.empty() ? deadline : std::min(pending_.front().done_at, deadline));
    now = host_.now();
    count = take_due(done, count, now);
  }
  return static_cast<std::int32_t>(count);
}

std::int32_t SimQueue::cancel(std::uint32_t tag) noexcept {
  if (tag >= stuck_.size() || disk_.script().ignore_cancel) return 0;
  const std::uint64_t now = host_.now();
  if (stuck_[tag]) {
    stuck_[tag] = false;
    --stuck_count_;
    push({now, now, sequence_++, -DP_ECANCELED, tag, 0});
  } else {
    end_waiting(tag, now);
  }
  return 0;
}

void SimQueue::end_waiting(std::uint32_t tag, std::uint64_t now) noexcept {
  const auto io = std::find_if(pending_.begin(), pending_.end(), [&](const Pending& one) { return one.tag == tag; });
  if (io == pending_.end() || io->started_at <= now) return;
  io->started_at = io->done_at = now;
  io->result = -DP_ECANCELED;
  std::make_heap(pending_.begin(), pending_.end(), later);
}

void SimQueue::target_info(std::uint32_t target, dp_target_info& info) const {
  info.size = sizes_.at(target);
  info.offset_alignment = info.memory_alignment = 1;
}

bool SimQueue::later(const Pending& a, const Pending& b) noexcept {
  return a.done_at != b.done_at ? a.done_at > b.done_at : a.sequence > b.sequence;
}

void SimQueue::push(const Pending& io) noexcept {
  pending_.push_back(io);
  std::push_heap(pending_.begin(), pending_.end(), later);
}

std::size_t SimQueue::take_due(std::span<dp_done> done, std::size_t count, std::uint64_t now) noexcept {
  while (count < done.size() && !pending_.empty() && pending_.front().done_at <= now) {
    const Pending& io = pending_.front();
    done[count++] = dp_done{io.done_at, io.result, io.tag, io.os_code};
    std::pop_heap(pending_.begin(), pending_.end(), later);
    pending_.pop_back();
  }
  return count;
}

void SimQueue::end(Ending ending) const noexcept {
  if (ending == Ending::aborts) std::abort();
  if (ending == Ending::exits) std::_Exit(7);
  for (;;) host_.wait_until(host_.after(host_.now(), 1'000'000'000));
}

}  // namespace sim
