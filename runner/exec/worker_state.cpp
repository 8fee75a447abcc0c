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

Direction direction_of(std::uint8_t op) {
  switch (op) {
    case DP_OP_READ:
      return Direction::read;
    case DP_OP_WRITE:
    case DP_OP_WRITE_ZEROES:
      return Direction::write;
    case DP_OP_TRIM:
      return Direction::trim;
    default:
      return Direction::sync;
  }
}

}  // namespace

WorkerState::WorkerState(const WorkerSetup& setup)
    : tags(new Tag[setup.depth]),
      done(new dp_done[setup.depth]()),
      free_count(setup.depth),
      budget(setup.budget),
      window_end(setup.window.end),
      outside(std::make_unique<WorkerSlot>()),
      setup_(setup),
      ios_(new dp_io[std::size_t{2} * setup.depth]()),
      free_tags_(new std::uint32_t[setup.depth]),
      sequence_(std::uint64_t{setup.index} << 48) {
  for (std::uint32_t i = 0; i < setup.depth; ++i) free_tags_[i] = setup.depth - 1 - i;
  errors_.reserve(kErrorExamples);
}

std::uint32_t WorkerState::take_tag(const Operation& operation, bool measured) noexcept {
  const std::uint32_t tag = free_tags_[--free_count];
  const auto direction = static_cast<std::uint8_t>(direction_of(operation.op));
  tags[tag] = {};
  tags[tag].offset = operation.offset;
  tags[tag].length = tags[tag].total = operation.length;
  tags[tag].op = operation.op;
  tags[tag].direction = direction;
  tags[tag].measured = measured;
  return tag;
}

void WorkerState::submitted(std::int32_t sent, Ticks stamp, WorkerShared& shared) noexcept {
  if (sent < 0 || static_cast<std::uint32_t>(sent) > pending_count) return fail("submit", sent);
  const auto taken = static_cast<std::uint32_t>(sent);
  for (std::uint32_t i = taken; i < pending_count; ++i) {
    const std::uint32_t tag = pending()[i].tag;
    tags[tag].in_flight = false;
    shared.in_flight.finish(tag);
  }
  pending_first_ += taken;
  pending_count -= taken;
  in_flight += taken;
  if (pending_count == 0) pending_first_ = 0;
  if (pending_first_ >= setup_.depth) {  // at most `depth` are pending: room for all of them again
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
    if (tags[io.tag].resumed) {
      ios_[kept++] = io;
    } else {
      free_tags_[free_count++] = io.tag;
    }
  }
  pending_first_ = 0;
  pending_count = kept;
}

std::uint32_t WorkerState::checked_reap(std::int32_t got, Ticks now) noexcept {
  if (got < 0 || static_cast<std::uint32_t>(got) > setup_.depth) {
    fail("reap", got);
    return 0;
  }
  if (got > 0) {
    const Gap gap{clip(last_completion_), clip(now)};
    stalls_.add(gap);
    last_completion_ = now;
  }
  return static_cast<std::uint32_t>(got);
}

// A part that moved something is continued where it stopped; the operation counts once, when it is whole.
bool WorkerState::resume_short(const dp_done& short_done) noexcept {
  Tag& tag = tags[short_done.tag];
  if (short_done.result <= 0 || short_done.result > tag.length) return false;
  const auto moved = static_cast<std::uint32_t>(short_done.result);
  tag.offset += moved;
  tag.length -= moved;
  tag.resumed = true;
  tag.in_flight = false;
  --in_flight;
  queue_io(short_done.tag, tag.data == nullptr ? nullptr : tag.data + moved);
  return true;
}

void WorkerState::note_error(const dp_done& failed) noexcept {
  if (errors_.size() == kErrorExamples) return;
  const Tag& tag = tags[failed.tag];
  IoErrorExample example{static_cast<Direction>(tag.direction), tag.offset, tag.length, 0, failed.os_code, {}};
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
  failure_ = code < 0 ? fmt::format("the engine gave up its queue in {}: {}", call, describe_code(-code, 0))
                      : fmt::format("the engine broke its contract in {} (it returned {})", call, code);
}

void WorkerState::fail_foreign_tag(std::uint32_t tag) noexcept {
  failed_ = true;
  failure_ = fmt::format("the engine broke its contract: it completed tag {}, which is not in flight", tag);
}

WorkerResult WorkerState::result(const SlotRecorder& recorder) {
  WorkerResult result;
  result.failure = std::move(failure_);
  const bool counted = setup_.window.end == kNever;
  result.measured = counted ? first_measured != kNever : window_end > setup_.window.begin;
  result.window_begin = counted && result.measured ? first_measured : setup_.window.begin;
  result.window_end = window_end;
  result.in_flight_integral = integral_;
  result.in_window_time = in_window_;
  result.stalls = stalls_;
  result.cpu = recorder.cpu();
  for (std::size_t i = 0; i < kDirections; ++i) {
    const DirectionTotals& counts = recorder.drain().directions[i];
    result.drain.operations += counts.latency.count() + counts.errors;
    if (counts.latency.count() == 0) continue;
    result.drain.direction_latency_max[i] = counts.latency.max();
    result.drain.latency_max = std::max(result.drain.latency_max, counts.latency.max());
  }
  result.drain.finished = !failed_ && !busy();
  result.errors = std::move(errors_);
  return result;
}

}  // namespace diskproof
