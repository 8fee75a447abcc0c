// ram: an example of an engine, complete in one file. A disk that lives in the memory of the engine and answers each
// I/O after a fixed time. Everything that the contract asks for is here, so it passes `diskproof engines --verify`;
// build it with the CMakeLists.txt beside it.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <diskproof/engine.hpp>

namespace {

class RamQueue;

// What all queues share. Queues run on different threads, so this needs a lock.
struct RamEngine {
  using Queue = RamQueue;
  // Who it is and what it can. The runner reads this without running any code of the engine.
  static constexpr dp::About kAbout{.name = "ram",
                                    .version = "1.0.0",
                                    .summary = "example: a disk in memory that answers after a fixed time",
                                    .capabilities = DP_CAP_NO_TARGET | DP_CAP_STAMPS,
                                    .operations = dp::operations(DP_OP_READ, DP_OP_WRITE, DP_OP_FSYNC)};
  // The runner checks a job against this table, documents it, and hands over plain decimal numbers.
  static constexpr std::array kOptions{
      dp::option(DP_OPTION_DURATION, "latency", "how long each operation takes", "0", 0, 10'000'000'000),
      dp::option(DP_OPTION_BOOL, "content", "keep what is written; false: reads leave their buffer as it is", "true")};

  static void probe(dp::Host) {}  // throws dp::EngineError where the machine cannot run the engine
  RamEngine(dp::Host host_, dp::Options options)
      : host(host_), latency(host_.ticks_from_ns(options.number("latency"))), content(options.flag("content")) {}

  std::vector<char>& disk(const dp_target& target) {
    const std::scoped_lock lock(mutex);
    std::vector<char>& bytes = disks[target.spec];
    if (content && bytes.size() < target.size) bytes.resize(target.size);
    return bytes;
  }

  dp::Host host;
  std::uint64_t latency;  // ticks of the host's clock
  bool content;
  std::mutex mutex;  // guards what follows
  std::map<std::string, std::vector<char>> disks;
};

// One worker's queue, used by that worker's thread only.
class RamQueue {
 public:
  RamQueue(RamEngine& engine, const dp_queue_params& params) : engine_(engine), depth_(params.depth) {  // may throw
    for (const dp_target& target : std::span(params.targets, params.target_count))
      targets_.push_back({target.size, &engine.disk(target)});
    waiting_.reserve(depth_);
  }

  // Hot from here on: no exception, no allocation. Takes as many of the first as fit, and waits for nothing.
  std::int32_t submit(std::span<const dp_io> ios) noexcept {
    const std::size_t count = std::min<std::size_t>(ios.size(), depth_ - waiting_.size());
    const std::uint64_t due = engine_.host.now() + engine_.latency;
    for (const dp_io& io : ios.first(count)) waiting_.push_back({due, move(io), io.tag, 0});
    return static_cast<std::int32_t>(count);
  }

  // Hands over what is due. Waits by the host's clock, until `min` are due or the time is over.
  std::int32_t reap(std::span<dp_done> done, std::uint32_t min, std::uint64_t timeout_ns) noexcept {
    const std::size_t most = std::min(done.size(), waiting_.size());
    const std::uint64_t deadline = engine_.host.after(engine_.host.now(), timeout_ns);
    for (;;) {
      const std::uint64_t now = engine_.host.now();
      std::size_t count = 0;
      while (count < most && waiting_[count].ticks <= now) ++count;
      if (count >= min || now >= deadline) {
        std::copy_n(waiting_.begin(), count, done.begin());
        waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
        return static_cast<std::int32_t>(count);
      }
      engine_.host.wait_until(count < most ? std::min(waiting_[count].ticks, deadline) : deadline);
    }
  }

  std::int32_t cancel(std::uint32_t) noexcept { return -DP_ENOTSUP; }

  void target_info(std::uint32_t target, dp_target_info& info) const {
    info.size = targets_.at(target).size;
    info.offset_alignment = info.memory_alignment = 1;
  }

 private:
  struct Target {
    std::uint64_t size;
    std::vector<char>* bytes;
  };

  // The bytes that were moved, fewer at the end of the disk, or -enum dp_code.
  std::int64_t move(const dp_io& io) noexcept {
    if (io.op == DP_OP_FSYNC) return 0;
    if (io.target >= targets_.size()) return -DP_EINVAL;
    const Target& target = targets_[io.target];
    const std::uint64_t length = std::min<std::uint64_t>(io.length, target.size - std::min(io.offset, target.size));
    if (!engine_.content || length == 0) return static_cast<std::int64_t>(length);
    const std::scoped_lock lock(engine_.mutex);
    char* bytes = target.bytes->data() + io.offset;
    io.op == DP_OP_READ ? std::memcpy(io.data, bytes, length) : std::memcpy(bytes, io.data, length);
    return static_cast<std::int64_t>(length);
  }

  RamEngine& engine_;
  std::size_t depth_;
  std::vector<Target> targets_;
  std::vector<dp_done> waiting_;  // in the order of submission, which is the order in which they are due
};

}  // namespace

DP_DEFINE_ENGINE(RamEngine)
