// The rare paths of a worker: partial submits, short I/O, errors, the end.
#include "exec/worker_state.hpp"

#include <fmt/format.h>
#include <limits>
#include <system_error>

#include "engine/code.hpp"

namespace diskproof {

namespace {

std::string describe_code(std::int32_t code, std::uint32_t os_code) {
  std::string text = fmt::format("{}: {}", code_name(code), code_text(code));
  if (os_code != 0) text += fmt::format(" ({})", std::generic_category().message(static_cast<int>(os_code)));
  return text;
}

}  // namespace

WorkerState::WorkerState(const WorkerSetup& setup, BufferPool& buffers, InFlightTable& in_flight_table)
    : tags(new Tag[setup.depth]),
      done(new dp_done[setup.depth]()),
      free_count(setup.depth),
      budget(setup.budget),
      outside(std::make_unique<WorkerSlot>()),
      setup_(setup),
      depth_(setup.depth),
      table_(in_flight_table),
      blank_ios_(new dp_io[setup.depth]()),
      ios_(new dp_io[std::size_t{2} * setup.depth]()),
      free_tags_(new std::uint32_t[setup.depth]) {
  for (std::uint32_t i = 0; i < setup.depth; ++i) {
    free_tags_[i] = setup.depth - 1 - i;
    blank_ios_[i].data = buffers.buffer(i);
    blank_ios_[i].tag = i;
    blank_ios_[i].region = static_cast<std::uint16_t>(i / setup.buffers_per_region);
  }
  errors_.reserve(kErrorExamples);
}

void WorkerState::stamp_again(Ticks stamp) noexcept {
  for (const dp_io* io = pending(); io != pending() + pending_count; ++io) {
    Tag& tag = tags[io->tag];
    table_.start(io->tag, tag.resumed_since != 0 ? tag.resumed_since : stamp, io->offset);
    tag.in_flight = true;
  }
  leftovers_ = false;
}

void WorkerState::submitted_partly(std::int32_t sent, Ticks stamp) noexcept {
  if (sent < 0 || static_cast<std::uint32_t>(sent) > pending_count) return fail("submit", sent);
  const auto taken = static_cast<std::uint32_t>(sent);
  pending_first_ += taken;
  pending_count -= taken;
  in_flight += taken;
  for (const dp_io* io = pending(); io != pending() + pending_count; ++io) {
    tags[io->tag].in_flight = false;
    table_.finish(io->tag);
  }
  leftovers_ = true;
  if (pending_first_ >= depth_) {  // at most `depth` are pending: room for all of them again
    std::copy(pending(), pending() + pending_count, ios_.get());
    pending_first_ = 0;
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
    if (tags[io.tag].resumed_since != 0) {
      ios_[kept++] = io;
    } else {
      free_tags_[free_count++] = io.tag;
    }
  }
  pending_first_ = 0;
  pending_count = kept;
}

// A part that moved something is continued where it stopped; the operation counts once, when it is whole.
bool WorkerState::resume_short(const dp_done& short_done) noexcept {
  Tag& tag = tags[short_done.tag];
  if (short_done.result <= 0 || short_done.result > tag.length) return false;
  const auto moved = static_cast<std::uint32_t>(short_done.result);
  const std::uint64_t offset = table_.offset(short_done.tag) + moved;
  if (tag.resumed_since == 0) tag.resumed_since = started(short_done.tag);
  table_.start(short_done.tag, 0, offset);
  tag.length -= moved;
  tag.in_flight = false;
  --in_flight;
  dp_io& io = ios_[pending_first_ + pending_count++];
  io = blank_ios_[short_done.tag];
  if (io.data != nullptr && tag.op <= DP_OP_WRITE)
    io.data = static_cast<std::byte*>(io.data) + (tag.total - tag.length);
  if (tag.op > DP_OP_WRITE) io.data = nullptr;
  io.offset = offset;
  io.length = tag.length;
  io.op = tag.op;
  leftovers_ = true;
  return true;
}

void WorkerState::note_error(const dp_done& failed) noexcept {
  if (errors_.size() == kErrorExamples) return;
  const Tag& tag = tags[failed.tag];
  IoErrorExample example{
      static_cast<Direction>(tag.direction), table_.offset(failed.tag), tag.length, 0, failed.os_code, {}};
  if (failed.result < 0) {
    constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();
    example.code = static_cast<std::int32_t>(-std::max(failed.result, -kLargest));
    example.text = describe_code(example.code, failed.os_code);
  } else {
    example.code = DP_EIO;
    example.text = failed.result == 0 ? "nothing was moved: the target ends before this offset"
                                      : fmt::format("the engine claims {} bytes of {}", failed.result, tag.length);
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
                  ended.tag, ended.ticks, started(ended.tag), now);
}

template <class Visit>
void WorkerState::visit_started(Visit visit) const noexcept {
  for (std::uint32_t i = 0; i < depth_; ++i) {
    if (tags[i].in_flight) {
      visit(table_.submitted(i));
    } else if (tags[i].resumed_since != 0) {
      visit(tags[i].resumed_since);
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
  if (open_loop_ != nullptr) open_loop_->window_begins();
  if (last_completion_ <= begin) {
    last_completion_ = begin;
  } else if (in_flight > 0) {  // of the batch that passed the edge; the one before it was earlier
    stalls_.add({begin, last_completion_});
  }
}

void WorkerState::window_ends(Ticks end) noexcept {
  const bool counted = setup_.window.end == kNever;
  result_.measured = counted ? first_measured != kNever : end > setup_.window.begin;
  result_.window_begin = counted && result_.measured ? first_measured : setup_.window.begin;
  result_.window_end = end;
  if (open_loop_ != nullptr) open_loop_->window_ends(end);
  if (last_completion_ < end) stalls_.add({last_completion_, end});
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
