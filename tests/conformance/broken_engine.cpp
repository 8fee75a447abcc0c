// An engine that keeps every rule of the contract but the one that its option `fault` names. It works on files by plain
// calls, made when reap is called. Three faults show before there are options and are compiled in: BROKEN_NAME,
// BROKEN_PROBE and BROKEN_LOAD.
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <span>
#include <string>
#include <unistd.h>
#include <vector>

#include <diskproof/engine.hpp>
#include <diskproof/linux_file.hpp>

#include "broken_manners.hpp"
#include "broken_names.hpp"

#ifndef BROKEN_NAME
#define BROKEN_NAME "broken"
#endif

namespace {

class BrokenQueue;

struct BrokenEngine {
  using Queue = BrokenQueue;
  static constexpr dp::About kAbout{.name = BROKEN_NAME,
                                    .version = "1.0",
                                    .summary = "breaks one rule of the contract",
                                    .capabilities = DP_CAP_FILES | DP_CAP_NAMES | DP_CAP_NAMES_BLOCK | DP_CAP_STAMPS,
                                    .operations = dp::operations(DP_OP_READ, DP_OP_WRITE, DP_OP_TRIM, DP_OP_FSYNC,
                                                                 DP_OP_FDATASYNC, DP_OP_WRITE_ZEROES),
                                    .max_depth = 64};
  static constexpr std::array kOptions{dp::option(DP_OPTION_STRING, "fault", "which rule to break", "none"),
                                       dp::option(DP_OPTION_INTEGER, "level", "a number", "5", 1, 10)};

  static void probe(dp::Host) {
#ifdef BROKEN_PROBE
    static_cast<void>(!::dup(0));
#endif
  }
  BrokenEngine(dp::Host host_, dp::Options options) : host(host_), fault(options.text("fault")) {
    broken::misbehave(fault);
    if (is("create_leaks")) static_cast<void>(!::dup(0));
    if (is("option_refused") && options.number("level") == 10) throw dp::EngineError(DP_EINVAL, "");
    if (is("option_crash") && options.number("level") == 10) std::raise(SIGTRAP);
  }
  [[nodiscard]] bool is(const char* name) const { return fault == name; }

  dp::Host host;
  std::string fault;
  int first_descriptor = -1;  // of the first queue, for the fault shared_target
};

class BrokenQueue {
 public:
  BrokenQueue(BrokenEngine& engine, const dp_queue_params& params)
      : engine_(engine), params_(params), regions_(params.regions, params.regions + params.region_count) {
    for (dp_target target : std::span(params.targets, params.target_count)) attach(target);
    if (is("open_leaks_memory")) leaked_ = new char[100'000];
    if (is("open_leaks_descriptor")) static_cast<void>(!::dup(0));
    if (engine.first_descriptor < 0) engine.first_descriptor = files_.front().descriptor();
  }
  ~BrokenQueue() {
    if (is("target_kept")) static_cast<void>(!::dup(files_.front().descriptor()));
    if (is("close_hangs")) ::pause();
    if (is("close_crashes")) std::abort();
  }

  std::int32_t submit(std::span<const dp_io> ios) noexcept;
  std::int32_t reap(std::span<dp_done> done, std::uint32_t min, std::uint64_t timeout_ns) noexcept;
  std::int32_t cancel(std::uint32_t tag) noexcept;
  std::int32_t submit_names(std::span<const dp_name_op> ops) noexcept;
  void target_info(std::uint32_t target, dp_target_info& info) const {
    files_.at(target).describe(info);
    if (is("info_size")) info.size += 1;
  }

 private:
  [[nodiscard]] bool is(const char* name) const { return engine_.is(name); }
  void attach(dp_target target);
  void sleep_ms(std::uint64_t ms) const {
    engine_.host.wait_until(engine_.host.after(engine_.host.now(), ms * 1'000'000));
  }
  [[nodiscard]] std::size_t room() const;
  void run_pending(std::uint64_t deadline);
  void finish(const dp_io& io);
  [[nodiscard]] std::int64_t run(dp_io io) const;
  [[nodiscard]] std::int64_t move(const dp_io& io) const;
  [[nodiscard]] dp_done done_of(const dp_io& io, std::int64_t result) const;

  BrokenEngine& engine_;
  dp_queue_params params_;
  std::vector<dp_region> regions_;
  std::vector<dp::LinuxFile> files_;
  std::vector<dp_io> pending_;  // accepted, not begun
  std::vector<dp_done> ready_;
  bool direct_ = false;
  std::uint64_t count_ = 0;  // of finished I/Os
  char* leaked_ = nullptr;
};

void BrokenQueue::attach(dp_target target) {
  direct_ = (target.flags & DP_TARGET_DIRECT) != 0;
  if (target.native_handle >= 0) {
    files_.emplace_back(target);
    return;
  }
  if (is("path_refused")) throw dp::EngineError(DP_EINVAL, "no descriptor is given");
  try {
    if (is("link_followed") && ::access(target.spec, F_OK) == 0) {
      char* real = ::realpath(target.spec, nullptr);
      target.spec = real;
      files_.emplace_back(target);
      return std::free(real);
    }
    files_.emplace_back(target);
  } catch (const dp::EngineError& error) {
    if (is("open_code")) throw dp::EngineError(DP_EIO, error.what());
    if (is("open_silent")) throw dp::EngineError(error.code(), "");
    if (is("open_undone") && !files_.empty()) static_cast<void>(!::dup(files_.front().descriptor()));
    throw;
  }
}

std::size_t BrokenQueue::room() const {
  const std::size_t depth = is("depth_halved") && params_.depth > 1 ? params_.depth / 2 : params_.depth;
  return depth - std::min(depth, pending_.size() + ready_.size());
}

std::int32_t BrokenQueue::submit(std::span<const dp_io> ios) noexcept {
  if (is("submit_crashes")) std::raise(SIGTRAP);
  if (is("submit_exits")) std::_Exit(3);
  const std::size_t free = is("too_many_taken") ? ios.size() : room();
  std::span<const dp_io> taken = ios.first(std::min(ios.size(), free));
  if (is("not_a_prefix") && taken.size() < ios.size()) taken = ios.last(taken.size());
  for (const dp_io& io : taken) {
    if (is("failed_io_ends_queue") && run(io) < 0) return -DP_EIO;
    pending_.push_back(io);
  }
  if (is("not_a_prefix") && taken.size() < ios.size() && taken.size() > 1) pending_.back().tag = params_.depth;
  if (is("submit_waits")) {
    sleep_ms(150);
    run_pending(~std::uint64_t{0});
  }
  return static_cast<std::int32_t>(taken.size());
}

std::int32_t BrokenQueue::reap(std::span<dp_done> done, std::uint32_t min, std::uint64_t timeout_ns) noexcept {
  if (is("reap_hangs") && !pending_.empty()) ::pause();
  const bool idle = pending_.empty() && ready_.empty();
  if (is("overshoots_empty") && idle && min > 0) sleep_ms(timeout_ns / 1'000'000 + 150);
  if (is("overshoots_busy") && pending_.size() > 1 && timeout_ns == 1'000'000) sleep_ms(200);
  if (is("min_zero_waits") && idle && min == 0) sleep_ms(timeout_ns / 1'000'000);
  if (is("ready_waits") && !idle && min > 0) sleep_ms(timeout_ns / 1'000'000);
  if (!is("starts_with_min") || min > 0) run_pending(engine_.host.after(engine_.host.now(), timeout_ns));
  std::size_t count = std::min(done.size(), ready_.size());
  for (std::size_t i = 0; i < count; ++i) done[i] = ready_[i];
  if (is("max_exceeded") && ready_.size() > count) done.data()[count] = ready_[count];
  ready_.erase(ready_.begin(), ready_.begin() + static_cast<std::ptrdiff_t>(count));
  if (count == 0 && min > 0) engine_.host.wait_until(engine_.host.after(engine_.host.now(), timeout_ns));
  return static_cast<std::int32_t>(count);
}

std::int32_t BrokenQueue::cancel(std::uint32_t tag) noexcept {
  if (is("cancel_code")) return -DP_EBUSY;
  for (auto io = pending_.begin(); io != pending_.end(); ++io) {
    if (io->tag != tag) continue;
    if (!is("cancel_loses")) ready_.push_back({engine_.host.now(), -DP_ECANCELED, tag, 0});
    if (!is("cancel_twice")) pending_.erase(io);
    return 0;
  }
  return 0;
}

std::int32_t BrokenQueue::submit_names(std::span<const dp_name_op> ops) noexcept {
  const std::span<const dp_name_op> taken = ops.first(std::min(ops.size(), room()));
  for (const dp_name_op& op : taken) {
    std::int64_t result = is("rename_idle") && op.op == DP_NAME_RENAME ? 0 : broken::run_name(op);
    if (is("missing_unlinked") && op.op == DP_NAME_UNLINK && result < 0) result = 0;
    if (is("name_lost") && op.op == DP_NAME_MKDIR) continue;
    ready_.push_back({engine_.host.now(), result < 0 ? -dp::code_from_errno(static_cast<int>(-result)) : result, op.tag,
                      static_cast<std::uint32_t>(result < 0 ? -result : 0)});
  }
  return static_cast<std::int32_t>(taken.size());
}

// At least one, and more until the deadline.
void BrokenQueue::run_pending(std::uint64_t deadline) {
  if (is("full_loses_one") && pending_.size() > 1 && pending_.size() == params_.depth) pending_.pop_back();
  if (is("batch_swaps") && pending_.size() > 1 && pending_.front().op == DP_OP_WRITE)
    std::swap(pending_.front().offset, pending_.back().offset);
  std::size_t finished = 0;
  while (finished < pending_.size() && (finished == 0 || engine_.host.now() < deadline)) finish(pending_[finished++]);
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(finished));
}

void BrokenQueue::finish(const dp_io& io) {
  ++count_;
  if (is("one_lost") && count_ == 100) return;
  dp_done done = done_of(io, run(io));
  if (is("stamp_early")) done.ticks = 1;
  if (is("stamp_missing")) done.ticks = 0;
  if (is("short_hidden") && done.result >= 0) done.result = io.length;
  if (is("sync_refused") && io.op == DP_OP_FDATASYNC) done.result = -DP_ENOTSUP;
  ready_.push_back(done);
  if (is("one_twice") && count_ == 100) ready_.push_back(done);
}

dp_done BrokenQueue::done_of(const dp_io& io, std::int64_t result) const {
  const std::uint64_t now = engine_.host.now();
  if (result >= 0) return {now, result, io.tag, 0};
  if (is("errno_returned")) return {now, result, io.tag, 0};
  const auto number = static_cast<std::uint32_t>(-result);
  return {now, is("codes_lost") ? -DP_EOTHER : -dp::code_from_errno(static_cast<int>(number)), io.tag,
          is("number_lost") ? 0 : number};
}

std::int64_t BrokenQueue::run(dp_io io) const {
  if (is("targets_mixed")) io.target = 0;
  if (is("regions_mixed") && io.data != nullptr) {
    const auto* base = static_cast<const char*>(regions_[io.region].base);
    io.data = static_cast<char*>(regions_[0].base) + (static_cast<char*>(io.data) - base);
  }
  if (io.op == DP_OP_READ || io.op == DP_OP_WRITE) return move(io);
  if (is("zeroes_idle") && (io.op == DP_OP_WRITE_ZEROES || io.op == DP_OP_TRIM)) return io.length;
  return files_[io.target].plain_call(io);
}

std::int64_t BrokenQueue::move(const dp_io& io) const {
  const dp::LinuxFile& file = files_[io.target];
  const int descriptor = is("shared_target") ? engine_.first_descriptor : file.descriptor();
  std::uint64_t offset = io.offset;
  if (is("offset_rounded")) offset = offset / 512 * 512;
  const bool writes = io.op == DP_OP_WRITE;
  const ssize_t moved = writes ? ::pwrite(descriptor, io.data, io.length, static_cast<off_t>(offset))
                               : ::pread(descriptor, io.data, io.length, static_cast<off_t>(offset));
  if (moved < 0) return -errno;
  auto* bytes = static_cast<unsigned char*>(io.data);
  if (is("read_past_end") && !writes && moved > 0) bytes[moved] = 0x55;
  if (is("direct_flips") && !writes && direct_) bytes[io.length / 2] ^= 1;
  return moved;
}

}  // namespace

DP_DEFINE_ENGINE(BrokenEngine)
