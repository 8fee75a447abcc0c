// The books of a queue, and what every call must keep to.
#include "conformance/rig.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "conformance/rule.hpp"
#include "engine/code.hpp"
#include "support/clock.hpp"

namespace diskproof {
namespace {

constexpr std::uint64_t kSlice = 50'000'000;  // ns of one reap while draining

std::vector<TargetSpec> specs_of(const std::vector<Place>& places) {
  std::vector<TargetSpec> specs;
  for (const Place& place : places) specs.push_back(place.spec);
  return specs;
}

}  // namespace

std::string result_text(std::int64_t result) {
  return result < 0 ? fmt::format("{} ({})", result, code_name(result)) : fmt::format("{} bytes", result);
}

Rig::Rig(const Subject& subject, std::shared_ptr<Engine> engine, std::vector<Place> places, RigSpec spec)
    : subject_(subject), spec_(spec), parts_(std::make_unique<Parts>()), busy_(spec.depth, false) {
  parts_->places = std::move(places);
  parts_->buffers = std::make_unique<BufferPool>(spec.buffers == 0 ? spec.depth : spec.buffers, spec.block);
  parts_->engine = std::move(engine);
  const std::uint64_t limit = parts_->buffers->size() / spec.regions;
  buffers_per_region_ = parts_->buffers->buffers_per_region(limit);
  subject_.trace().enter("queue_open");
  parts_->queue = std::make_unique<Queue>(*parts_->engine, QueueSpec{.depth = spec.depth,
                                                                     .max_length = spec.block,
                                                                     .targets = specs_of(parts_->places),
                                                                     .regions = parts_->buffers->regions(limit),
                                                                     .queue_index = spec.queue_index});
}

Rig::Rig(const Subject& subject, const std::string& target, std::uint64_t size, RigSpec spec)
    : Rig(subject, subject.create(), {subject.place(target, size)}, spec) {}

Rig::~Rig() {
  if (in_flight_ > 0) {
    parts_->queue->abandon();
    static_cast<void>(parts_.release());
  } else {
    close();
  }
}

void Rig::close() {
  if (parts_->queue) subject_.trace().enter("queue_close");
  parts_->queue.reset();
}

dp_io Rig::io(dp_op op, std::uint32_t tag, std::uint64_t offset, std::uint64_t length) const {
  const bool syncs = op == DP_OP_FSYNC || op == DP_OP_FDATASYNC;
  dp_io io{};
  io.op = static_cast<std::uint8_t>(op);
  io.tag = tag;
  io.offset = syncs ? 0 : offset;
  io.length = syncs ? 0 : static_cast<std::uint32_t>(length == 0 ? spec_.block : length);
  return op == DP_OP_READ || op == DP_OP_WRITE ? io_in(tag, io) : io;
}

dp_io Rig::io_in(std::uint32_t buffer, dp_io io) const {
  io.data = parts_->buffers->buffer(buffer);
  io.region = static_cast<std::uint16_t>(buffer / buffers_per_region_);
  return io;
}

std::span<unsigned char> Rig::buffer(std::uint32_t index) const {
  return {reinterpret_cast<unsigned char*>(parts_->buffers->buffer(index)), spec_.block};
}

std::uint32_t Rig::submit(std::span<const dp_io> ios) {
  subject_.trace().enter("submit");
  const std::uint32_t taken = note_accepted(parts_->queue->calls().submit(ios), ios.size(), "submit");
  for (const dp_io& io : ios.first(taken)) mark(io.tag);
  return taken;
}

std::uint32_t Rig::submit_names(std::span<const dp_name_op> ops) {
  subject_.trace().enter("submit_names");
  const std::uint32_t taken = note_accepted(parts_->queue->calls().submit_names(ops), ops.size(), "submit_names");
  for (const dp_name_op& op : ops.first(taken)) mark(op.tag);
  return taken;
}

std::uint32_t Rig::note_accepted(std::int32_t status, std::size_t given, const char* call) {
  if (status < 0)
    throw Violation(fmt::format("{} of {} I/Os ended the queue with {}", call, given, result_text(status)));
  const auto taken = static_cast<std::uint32_t>(status);
  if (taken > given) throw Violation(fmt::format("{} of {} I/Os says that it took {}", call, given, taken));
  if (in_flight_ + taken > spec_.depth)
    throw Violation(
        fmt::format("{} took {} more with {} in flight in a queue of depth {}", call, taken, in_flight_, spec_.depth));
  return taken;
}

void Rig::mark(std::uint32_t tag) {
  busy_[tag] = true;
  ++in_flight_;
}

std::vector<dp_done> Rig::reap(std::uint32_t max, std::uint32_t min, std::uint64_t timeout_ns) {
  constexpr std::uint64_t kUntouched = 0xA5A5A5A5A5A5A5A5u;
  std::vector<dp_done> done(max + 1, dp_done{kUntouched, -1, 0xFFFFFFFF, 0});
  subject_.trace().enter("reap");
  const std::int32_t status = parts_->queue->calls().reap(std::span(done).first(max), min, timeout_ns);
  if (status < 0) throw Violation(fmt::format("reap ended the queue with {}", result_text(status)));
  const auto count = static_cast<std::uint32_t>(status);
  if (count > max) throw Violation(fmt::format("reap of at most {} says that it wrote {}", max, count));
  for (std::uint32_t i = count; i <= max; ++i) {
    if (done[i].ticks != kUntouched || done[i].tag != 0xFFFFFFFF)
      throw Violation(fmt::format("reap of at most {} returned {} and wrote to entry {} too", max, count, i));
  }
  done.resize(count);
  for (const dp_done& one : done) note_done(one);
  return done;
}

void Rig::note_done(const dp_done& done) {
  if (done.tag >= spec_.depth)
    throw Violation(fmt::format("a completion names tag {} in a queue of depth {}", done.tag, spec_.depth));
  if (!busy_[done.tag])
    throw Violation(
        fmt::format("tag {} completed ({}) while it was not in flight", done.tag, result_text(done.result)));
  busy_[done.tag] = false;
  --in_flight_;
  if (done.result < -static_cast<std::int64_t>(DP_EOTHER))
    throw Violation(
        fmt::format("tag {} completed with {}, a code that the contract does not have", done.tag, done.result));
}

std::int32_t Rig::cancel(std::uint32_t tag) {
  subject_.trace().enter("cancel");
  const std::int32_t status = parts_->queue->calls().cancel(tag);
  if (status != 0 && status != -DP_ENOTSUP)
    throw Violation(fmt::format("cancel returned {}, expected 0 or {} (enotsup)", status, -DP_ENOTSUP));
  return status;
}

std::vector<dp_done> Rig::drain() {
  std::vector<dp_done> all;
  const std::uint64_t end = monotonic_ns() + subject_.patience();
  while (in_flight_ > 0) {
    const std::uint32_t in_flight = in_flight_;
    const std::vector<dp_done> some = reap(in_flight, in_flight, kSlice);
    all.insert(all.end(), some.begin(), some.end());
    if (in_flight_ > 0 && monotonic_ns() > end) {
      const auto first = std::find(busy_.begin(), busy_.end(), true) - busy_.begin();
      throw Violation(fmt::format("{} of the accepted I/Os have not completed after {:.1f} s, tag {} the first of them",
                                  in_flight_, static_cast<double>(subject_.patience()) / 1e9, first));
    }
  }
  return all;
}

std::vector<dp_done> Rig::run_all(std::span<const dp_io> ios) {
  std::vector<dp_done> all;
  const std::uint64_t end = monotonic_ns() + subject_.patience();
  while (!ios.empty()) {
    ios = ios.subspan(submit(ios));
    const std::vector<dp_done> some = reap(spec_.depth, in_flight_ > 0 ? 1 : 0, kSlice);
    all.insert(all.end(), some.begin(), some.end());
    if (!ios.empty() && some.empty() && monotonic_ns() > end)
      throw Violation(fmt::format("{} I/Os were not taken within {:.1f} s, with {} in flight in a queue of depth {}",
                                  ios.size(), static_cast<double>(subject_.patience()) / 1e9, in_flight_, spec_.depth));
  }
  const std::vector<dp_done> rest = drain();
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

dp_done Rig::run(const dp_io& io) { return run_all({&io, 1}).front(); }

void Rig::must_run(std::span<const dp_io> ios) {
  for (const dp_done& done : run_all(ios)) {
    const auto io = std::find_if(ios.begin(), ios.end(), [&](const dp_io& one) { return one.tag == done.tag; });
    if (done.result == io->length) continue;
    throw Violation(fmt::format("an I/O (operation {}) of {} bytes at offset {} completed with {}", io->op, io->length,
                                io->offset, result_text(done.result)));
  }
}

dp_target_info Rig::target_info(std::uint32_t target) const {
  subject_.trace().enter("target_info");
  return parts_->queue->target_info(target);
}

}  // namespace diskproof
