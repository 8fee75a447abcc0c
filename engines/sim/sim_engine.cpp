// sim: a disk that exists only as a script. It serves operations by a service time, limits and planned faults, and
// waits through the host's clock alone, so that on a manual clock every latency is exact. Reads leave the buffer as it
// is. Completions come in order of their time, and dp_done.ticks is that time.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include <diskproof/engine.hpp>

#include "disk_model.hpp"
#include "options.hpp"
#include "script.hpp"

namespace sim {
namespace {

class SimQueue;

struct SimEngine {
  using Queue = SimQueue;
  static constexpr dp::About kAbout{.name = "sim",
                                    .version = "0.1.0",
                                    .summary = "a simulated disk with scripted service time, limits and faults",
                                    .capabilities = DP_CAP_NO_TARGET | DP_CAP_STAMPS,
                                    .operations = dp::operations(DP_OP_READ, DP_OP_WRITE, DP_OP_TRIM, DP_OP_FSYNC,
                                                                 DP_OP_FDATASYNC, DP_OP_WRITE_ZEROES)};
  static constexpr auto& kOptions = sim::kOptions;

  static void probe(dp::Host) {}
  SimEngine(dp::Host host_, dp::Options options)
      : host(host_), disk(parse_script(host_, options), host_.ticks_per_second()) {}

  dp::Host host;
  DiskModel disk;
};

struct Pending {
  std::uint64_t done_at;
  std::uint64_t sequence;  // of acceptance; decides between equal times
  std::int64_t result;
  std::uint32_t tag, os_code;
};

// Heap order: the earliest completion in front.
bool later(const Pending& a, const Pending& b) noexcept {
  return a.done_at != b.done_at ? a.done_at > b.done_at : a.sequence > b.sequence;
}

class SimQueue {
 public:
  SimQueue(SimEngine& engine, const dp_queue_params& params)
      : host_(engine.host), disk_(engine.disk), stuck_(params.depth, false) {
    disk_.expect(params.depth);
    pending_.reserve(params.depth);
    for (const dp_target& target : std::span(params.targets, params.target_count)) sizes_.push_back(target.size);
  }

  std::int32_t submit(std::span<const dp_io> ios) noexcept {
    const std::uint64_t now = host_.now();
    std::int32_t taken = 0;
    for (const dp_io& io : ios) {
      if (in_flight() == stuck_.size()) break;
      const Fate fate = is_inside(io) ? disk_.serve(io, now) : Fate{.done_at = now, .result = -DP_EINVAL};
      if (fate.ending == Ending::stuck) {
        stuck_[io.tag] = true;
        ++stuck_count_;
      } else if (fate.ending != Ending::completes) {
        end(fate.ending);
      } else {
        push({fate.done_at, sequence_++, fate.result, io.tag, fate.os_code});
      }
      ++taken;
    }
    return taken;
  }

  std::int32_t reap(std::span<dp_done> done, std::uint32_t min, std::uint64_t timeout_ns) noexcept {
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

  // Only a stuck operation listens; the others end in their own time.
  std::int32_t cancel(std::uint32_t tag) noexcept {
    if (tag >= stuck_.size() || !stuck_[tag] || disk_.script().ignore_cancel) return 0;
    stuck_[tag] = false;
    --stuck_count_;
    push({host_.now(), sequence_++, -DP_ECANCELED, tag, 0});
    return 0;
  }

  void target_info(std::uint32_t target, dp_target_info& info) const {
    info.size = sizes_.at(target);
    info.offset_alignment = info.memory_alignment = 1;
  }

 private:
  [[nodiscard]] bool is_inside(const dp_io& io) const noexcept {
    if (io.target >= sizes_.size()) return false;
    const std::uint64_t size = sizes_[io.target];
    return io.length == 0 || (io.offset < size && io.length <= size - io.offset);
  }
  [[nodiscard]] std::size_t in_flight() const noexcept { return pending_.size() + stuck_count_; }

  void push(const Pending& io) noexcept {  // within the reserved capacity
    pending_.push_back(io);
    std::push_heap(pending_.begin(), pending_.end(), later);
  }

  std::size_t take_due(std::span<dp_done> done, std::size_t count, std::uint64_t now) noexcept {
    while (count < done.size() && !pending_.empty() && pending_.front().done_at <= now) {
      const Pending& io = pending_.front();
      done[count++] = dp_done{io.done_at, io.result, io.tag, io.os_code};
      std::pop_heap(pending_.begin(), pending_.end(), later);
      pending_.pop_back();
    }
    return count;
  }

  [[noreturn]] void end(Ending ending) const noexcept {
    if (ending == Ending::aborts) std::abort();
    if (ending == Ending::exits) std::_Exit(7);
    for (;;) host_.wait_until(host_.after(host_.now(), 1'000'000'000));
  }

  dp::Host host_;
  DiskModel& disk_;
  std::vector<bool> stuck_;  // by tag; its size is the depth
  std::size_t stuck_count_ = 0;
  std::vector<Pending> pending_;  // heap, see later()
  std::uint64_t sequence_ = 0;
  std::vector<std::uint64_t> sizes_;
};

}  // namespace
}  // namespace sim

DP_DEFINE_ENGINE(sim::SimEngine)
