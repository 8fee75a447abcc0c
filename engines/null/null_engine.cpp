// null: completes every I/O at once and touches nothing. What it measures is the runner itself, so it keeps no more
// than a tag and a length per I/O.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include <diskproof/engine.hpp>

namespace {

class NullQueue;

struct NullEngine {
  using Queue = NullQueue;
  static constexpr dp::About kAbout{.name = "null",
                                    .version = "0.1.0",
                                    .summary = "completes every I/O at once; measures the runner itself",
                                    .capabilities = DP_CAP_NO_TARGET,
                                    .operations = dp::operations(DP_OP_READ, DP_OP_WRITE, DP_OP_TRIM, DP_OP_FSYNC,
                                                                 DP_OP_FDATASYNC, DP_OP_WRITE_ZEROES)};
  static constexpr std::array<dp_option, 0> kOptions{};

  static void probe(dp::Host) {}
  NullEngine(dp::Host host_, dp::Options) : host(host_) {}

  dp::Host host;
};

// Accepted I/Os wait in a ring until reap hands them over; head_ and tail_ only grow.
class NullQueue {
 public:
  NullQueue(NullEngine& engine, const dp_queue_params& params)
      : host_(engine.host), depth_(params.depth), mask_(std::bit_ceil(std::max(params.depth, 1u)) - 1) {
    ring_.resize(mask_ + 1);
    sizes_.assign(params.target_count, 0);
    std::transform(params.targets, params.targets + params.target_count, sizes_.begin(),
                   [](const dp_target& target) { return target.size; });
  }

  std::int32_t submit(std::span<const dp_io> ios) noexcept {
    const std::uint32_t tail = tail_;
    const std::uint32_t count = std::min(static_cast<std::uint32_t>(ios.size()), depth_ - (tail - head_));
    Accepted* const ring = ring_.data();
    for (std::uint32_t i = 0; i < count; ++i) ring[(tail + i) & mask_] = {ios[i].length, ios[i].tag};
    tail_ = tail + count;
    return static_cast<std::int32_t>(count);
  }

  std::int32_t reap(std::span<dp_done> done, std::uint32_t min, std::uint64_t timeout_ns) noexcept {
    const std::uint32_t head = head_;
    const std::uint32_t count = std::min(static_cast<std::uint32_t>(done.size()), tail_ - head);
    const Accepted* const ring = ring_.data();
    for (std::uint32_t i = 0; i < count; ++i) {
      const Accepted& io = ring[(head + i) & mask_];
      done[i] = dp_done{0, io.length, io.tag, 0};
    }
    head_ = head + count;
    if (count == 0 && min > 0) return sleep(timeout_ns);
    return static_cast<std::int32_t>(count);
  }

  std::int32_t cancel(std::uint32_t) noexcept { return 0; }  // completes at the next reap anyway

  void target_info(std::uint32_t target, dp_target_info& info) const {
    info.size = sizes_.at(target);
    info.offset_alignment = info.memory_alignment = 1;
  }

 private:
  std::int32_t sleep(std::uint64_t timeout_ns) const noexcept;

  struct Accepted {
    std::uint32_t length, tag;
  };
  dp::Host host_;
  std::uint32_t depth_, mask_;
  std::uint32_t head_ = 0, tail_ = 0;  // tail_ - head_ are waiting, also after the numbers wrapped
  std::vector<Accepted> ring_;
  std::vector<std::uint64_t> sizes_;
};

// Apart, so that reap stays a leaf.
DP_NOINLINE std::int32_t NullQueue::sleep(std::uint64_t timeout_ns) const noexcept {
  host_.wait_until(host_.after(host_.now(), timeout_ns));
  return 0;
}

}  // namespace

DP_DEFINE_ENGINE(NullEngine)
