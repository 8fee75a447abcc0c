// The rare paths of a worker: partial submits, short I/O, errors, the end.
#include "exec/worker_state.hpp"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <limits>

#include "engine/code.hpp"
#include "support/system_text.hpp"

namespace diskproof {

namespace {

std::string describe_code(std::int32_t code, std::uint32_t os_code) {
  std::string text = fmt::format("{}: {}", code_name(code), code_text(code));
  if (os_code != 0) text += fmt::format(" ({})", system_text(static_cast<int>(os_code)));
  return text;
}

}  // namespace

WorkerState::WorkerState(const WorkerSetup& setup, BufferPool& buffers, InFlightTable& in_flight_table)
    : done(new dp_done[setup.depth]()),
      tags_(in_flight_table.tags()),
      free_tags_(new std::uint32_t[std::bit_ceil(setup.depth)]),
      free_mask_(std::bit_ceil(setup.depth) - 1),
      free_end_(setup.depth),
      depth_(setup.depth),
      budget(setup.budget),
      outside(std::make_unique<WorkerSlot>()),
      setup_(setup),
      ios_(new dp_io[std::size_t{2} * setup.depth]()) {
  pending_ = ios_.get();
  for (std::uint32_t i = 0; i < setup.depth; ++i) {
    free_tags_[i] = i;
    tags_[i].data = buffers.buffer(i);
    tags_[i].region = static_cast<std::uint16_t>(i / setup.buffers_per_region);
  }
  errors_.reserve(kErrorExamples);
}

std::uint32_t WorkerState::continued() const noexcept {
  if (!leftovers_) return 0;
  return static_cast<std::uint32_t>(std::count_if(pending(), pending() + pending_count,
                                                  [&](const dp_io& io) { return tags_[io.tag].first_submitted != 0; }));
}

void WorkerState::stamp_again(Ticks stamp) noexcept {
  for (const dp_io* io = pending(); io != pending() + pending_count; ++io) {
    Tag& tag = tags_[io->tag];
    tag.submitted.store(tag.first_submitted != 0 ? tag.first_submitted : stamp, std::memory_order_relaxed);
  }
  leftovers_ = false;
}

void WorkerState::submitted_partly(std::int32_t sent, Ticks stamp) noexcept {
  if (sent < 0 || static_cast<std::uint32_t>(sent) > pending_count) return fail("submit", sent);
  const auto taken = static_cast<std::uint32_t>(sent);
  pending_ += taken;
  pending_count -= taken;
  in_flight += taken;
  for (const dp_io* io = pending(); io != pending() + pending_count; ++io) {
    tags_[io->tag].submitted.store(0, std::memory_order_relaxed);
  }
  leftovers_ = true;
  if (pending_ >= ios_.get() + depth_) {  // at most `depth` are pending: room for all of them again
    std::copy(pending_, pending_ + pending_count, ios_.get());
    pending_ = ios_.get();
  }
  if (taken > 0 || in_flight > 0) {
    refused_since_ = 0;
  } else if (refused_since_ == 0) {
    refused_since_ = stamp;
  } else if (stamp - refused_since_ > setup_.give_up) {
    fail("submit: it takes nothing although nothing is in flight", 0);
  }
}

void WorkerState::drop_unsubmitted() noexcept {
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < pending_count; ++i) {
    const dp_io io = pending()[i];
    if (tags_[io.tag].first_submitted != 0) {
      ios_[kept++] = io;
    } else {
      tags_[io.tag].submitted.store(0, std::memory_order_relaxed);
      free_tags_[free_end_++ & free_mask_] = io.tag;
    }
  }
  pending_ = ios_.get();
  pending_count = kept;
}

// A part that moved something is continued where it stopped; the operation counts once, when it is whole.
bool WorkerState::resume_short(const dp_done& short_done) noexcept {
  Tag& tag = tags_[short_done.tag];
  const bool first = tag.first_submitted == 0;
  const std::uint32_t expected = first ? tag.length : tag.rest;
  if (short_done.result <= 0 || short_done.result >= expected) return false;
  const auto moved = static_cast<std::uint32_t>(short_done.result);
  if (first) {
    tag.first_submitted = tags_[short_done.tag].started();
    tag.whole = tag.length;
    tag.length = Tag::kContinued;
  }
  tag.rest = expected - moved;
  const std::uint64_t offset = tag.offset.load(std::memory_order_relaxed) + moved;
  tag.offset.store(offset, std::memory_order_relaxed);
  tag.submitted.store(0, std::memory_order_relaxed);
  --in_flight;
  dp_io& io = pending_[pending_count++];
  io = dp_io{offset, nullptr, tag.rest, short_done.tag, 0, tag.region, tag.op, 0, 0};
  if (tag.op <= DP_OP_WRITE) io.data = static_cast<std::byte*>(tag.data) + (tag.whole - tag.rest);
  leftovers_ = true;
  return true;
}

std::uint32_t WorkerState::end_continued(const dp_done& last) noexcept {
  Tag& tag = tags_[last.tag];
  if (tag.first_submitted == 0) return 0;
  tag.first_submitted = 0;
  return last.result == tag.rest ? tag.whole : 0;
}

void WorkerState::note_error(const dp_done& failed) noexcept {
  if (errors_.size() == kErrorExamples) return;
  const Tag& tag = tags_[failed.tag];
  const std::uint32_t length = tag.length == Tag::kContinued ? tag.rest : tag.length;
  IoErrorExample example{
      kDirectionOf[tag.op], tag.offset.load(std::memory_order_relaxed), length, 0, failed.os_code, {}};
  if (failed.result < 0) {
    constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();
    example.code = static_cast<std::int32_t>(-std::max(failed.result, -kLargest));
    example.text = describe_code(example.code, failed.os_code);
  } else {
    example.code = DP_EIO;
    example.text = failed.result == 0 ? "nothing was moved: the target ends before this offset"
                                      : fmt::format("the engine claims {} bytes of {}", failed.result, length);
  }
  errors_.push_back(std::move(example));
}

void WorkerState::fail(std::string_view call, std::int32_t code) noexcept {
  failed_ = true;
  result_.failure = code < 0 ? fmt::format("the engine gave up its queue in {}: {}", call, describe_code(-code, 0))
                             : fmt::format("the engine broke its contract in {} (it returned {})", call, code);
}

void WorkerState::fail_foreign_tag(std::uint32_t tag) noexcept {
  failed_ = true;
  result_.failure = fmt::format("the engine broke its contract: it completed tag {}, which is not in flight", tag);
}

void WorkerState::fail_unsound_stamp(const dp_done& ended, Ticks now) noexcept {
  failed_ = true;
  result_.failure =
      fmt::format("the engine broke its contract: it stamped the end of tag {} with tick {}, outside of {} to {}",
                  ended.tag, ended.ticks, tags_[ended.tag].started(), now);
}

template <class Visit>
void WorkerState::visit_started(Visit visit) const noexcept {
  for (std::uint32_t i = 0; i < depth_; ++i) {
    if (tags_[i].started() != 0) {
      visit(tags_[i].started());
    } else if (tags_[i].first_submitted != 0) {
      visit(tags_[i].first_submitted);
    }
  }
}

// The part of the present batch's wait that lies behind the edge stays, the rest of the books starts anew. What is in
// flight counts from the edge: its time before it is taken off here, and added with the rest when it completes.
void WorkerState::window_begins(Ticks begin) noexcept {
  integral_ = last_stamp_ > begin ? in_flight * (last_stamp_ - begin) : 0;
  time_sum_ = 0;
  visit_started([&](Ticks submitted) { time_sum_ -= begin - std::min(submitted, begin); });
  stalls_ = {};
  if (open_loop_ != nullptr) open_loop_->window_begins(begin);
  if (rounds_ != nullptr) rounds_->window_begins();
  if (last_completion_ <= begin) {
    last_completion_ = begin;
  } else if (in_flight > 0) {  // of the batch that passed the edge; the one before it was earlier
    stalls_.add({begin, last_completion_});
  }
}

void WorkerState::window_ends(Ticks end) noexcept {
  const bool counted = setup_.load_end == kNever;
  result_.measured = counted ? first_measured != kNever : end > setup_.window.begin;
  result_.window_begin = counted && result_.measured ? first_measured : setup_.window.begin;
  result_.window_end = end;
  if (open_loop_ != nullptr) open_loop_->window_ends(std::min(end, setup_.load_end));
  if (rounds_ != nullptr) result_.rounds = rounds_->totals();
  if (in_flight > 0 && last_completion_ < end) stalls_.add({last_completion_, end});
  result_.stalls = stalls_;
  result_.stalls.clip(end);
  if (!result_.measured) return;
  result_.in_flight_integral = integral_ - (last_stamp_ > end ? in_flight * (last_stamp_ - end) : 0);
  result_.in_window_time = time_sum_;
  visit_started([&](Ticks submitted) { result_.in_window_time += end - std::min(submitted, end); });
}

WorkerResult WorkerState::result(const SlotRecorder& recorder) {
  result_.cpu = recorder.cpu();
  for (std::size_t i = 0; i < kDirections; ++i) {
    const DirectionTotals& counts = recorder.drain().directions[i];
    result_.drain.operations += counts.latency.count() + counts.errors;
    if (counts.latency.count() == 0) continue;
    result_.drain.direction_latency_max[i] = counts.latency.max();
    result_.drain.latency_max = std::max(result_.drain.latency_max, counts.latency.max());
  }
  result_.drain.finished = !failed_ && !busy();
  result_.errors = std::move(errors_);
  return std::move(result_);
}

}  // namespace diskproof
