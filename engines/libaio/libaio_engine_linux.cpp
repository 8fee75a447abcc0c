// libaio: Linux native AIO. One io_submit per submit; reap reads the mapped ring and calls the kernel only to wait.
// Buffered I/O is done by the kernel inside io_submit: the queue is asynchronous with direct I/O only.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <span>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

#include <diskproof/engine.hpp>
#include <diskproof/linux_file.hpp>

#include "aio_context_linux.hpp"

namespace {

class LibaioQueue;

struct LibaioEngine {
  using Queue = LibaioQueue;
  static constexpr dp::About kAbout{
      .name = "libaio",
      .version = "0.1.0",
      .summary = "Linux native AIO (io_submit), asynchronous with direct I/O",
      .capabilities = DP_CAP_FILES | DP_CAP_DEVICES,
      .operations = dp::operations(DP_OP_READ, DP_OP_WRITE, DP_OP_FSYNC, DP_OP_FDATASYNC),
      .wait_granularity_ns = 100'000};  // timer slack (50 us unless lowered) and the wake-up
  static constexpr std::array<dp_option, 0> kOptions{};

  static void probe(dp::Host);
  LibaioEngine(dp::Host host_, dp::Options) : host(host_) {}

  dp::Host host;
};

// fsync came to AIO in Linux 4.18, so a memory file that syncs shows everything that is needed.
void LibaioEngine::probe(dp::Host) {
  const dp::AioContext context(1);
  const int memory = ::memfd_create("diskproof-probe", MFD_CLOEXEC);
  if (memory < 0) dp::throw_errno(errno, "memfd_create");
  iocb request{};
  request.aio_lio_opcode = IOCB_CMD_FSYNC;
  request.aio_fildes = static_cast<std::uint32_t>(memory);
  iocb* requests[] = {&request};
  io_event event{};
  int status = context.submit(requests);
  if (status == 1) status = context.wait(std::span(&event, 1), 1, 5'000'000'000);
  ::close(memory);
  if (status < 0) throw dp::EngineError(DP_ENOTSUP, "an AIO fsync failed; Linux 4.18 or newer is needed", -status);
  if (status == 0) throw dp::EngineError(DP_ETIMEDOUT, "an AIO fsync of an empty memory file took over 5 s");
}

class LibaioQueue {
 public:
  LibaioQueue(LibaioEngine& engine, const dp_queue_params& params)
      : host_(engine.host),
        context_(params.depth),
        requests_(params.depth),
        order_(params.depth),
        events_(params.depth) {
    files_.reserve(params.target_count);
    for (const dp_target& target : std::span(params.targets, params.target_count)) files_.emplace_back(target);
    refused_.reserve(params.depth);
  }

  std::int32_t submit(std::span<const dp_io> ios) noexcept {
    const std::size_t free = requests_.size() - in_flight_ - refused_.size();
    std::uint32_t filled = 0;
    for (const dp_io& io : ios.first(std::min(ios.size(), free))) {
      if (!fill(io)) break;
      order_[filled++] = &requests_[io.tag];
    }
    if (filled == 0) return ios.empty() || free == 0 ? 0 : refuse(ios.front(), EINVAL);
    const int taken = context_.submit(std::span(order_).first(filled));
    if (taken == -EAGAIN || taken == -EINTR) return 0;
    if (taken < 0) return refuse(ios.front(), -taken);
    in_flight_ += static_cast<std::uint32_t>(taken);
    return taken;
  }

  std::int32_t reap(std::span<dp_done> done, std::uint32_t min, std::uint64_t timeout_ns) noexcept {
    std::size_t count = 0;
    while (count < done.size() && !refused_.empty()) {
      done[count++] = refused_.back();
      refused_.pop_back();
    }
    count += take(done.subspan(count));
    const std::size_t wanted = std::min<std::size_t>(min, done.size());
    if (count >= wanted) return static_cast<std::int32_t>(count);
    if (in_flight_ == 0) {
      if (count == 0) host_.wait_until(host_.after(host_.now(), timeout_ns));
      return static_cast<std::int32_t>(count);
    }
    const auto missing = static_cast<std::uint32_t>(std::min<std::size_t>(wanted - count, in_flight_));
    const int waited = wait(done.subspan(count), missing, timeout_ns);
    if (waited < 0) return count > 0 ? static_cast<std::int32_t>(count) : -dp::code_from_errno(-waited);
    return static_cast<std::int32_t>(count) + waited;
  }

  // io_cancel knows nothing of reads and writes.
  std::int32_t cancel(std::uint32_t) noexcept { return -DP_ENOTSUP; }

  void target_info(std::uint32_t target, dp_target_info& info) const {
    files_.at(target).describe(info);
    dp::copy_text(info.description, context_.reads_ring() ? "completions: mapped ring" : "completions: io_getevents");
  }

 private:
  // False: not an I/O of this queue.
  bool fill(const dp_io& io) noexcept {
    if (io.target >= files_.size() || io.tag >= requests_.size()) return false;
    iocb& request = requests_[io.tag];
    switch (io.op) {
      case DP_OP_READ:
        request.aio_lio_opcode = IOCB_CMD_PREAD;
        break;
      case DP_OP_WRITE:
        request.aio_lio_opcode = IOCB_CMD_PWRITE;
        break;
      case DP_OP_FSYNC:
        request.aio_lio_opcode = IOCB_CMD_FSYNC;
        break;
      case DP_OP_FDATASYNC:
        request.aio_lio_opcode = IOCB_CMD_FDSYNC;
        break;
      default:
        return false;
    }
    const bool moves = io.op == DP_OP_READ || io.op == DP_OP_WRITE;  // a sync with a range is refused by the kernel
    request.aio_data = io.tag;
    request.aio_fildes = static_cast<std::uint32_t>(files_[io.target].descriptor());
    request.aio_buf = moves ? reinterpret_cast<std::uint64_t>(io.data) : 0;
    request.aio_nbytes = moves ? io.length : 0;
    request.aio_offset = moves ? static_cast<std::int64_t>(io.offset) : 0;
    return true;
  }

  // Takes the I/O and lets the next reap complete it with the error: one bad I/O does not end the queue.
  std::int32_t refuse(const dp_io& io, int error) noexcept {
    const bool not_served = io.op != DP_OP_READ && io.op != DP_OP_WRITE && error == EINVAL;
    refused_.push_back(
        {0, not_served ? -DP_ENOTSUP : -dp::code_from_errno(error), io.tag, static_cast<std::uint32_t>(error)});
    return 1;
  }

  std::uint32_t take(std::span<dp_done> done) noexcept {
    if (in_flight_ == 0 || done.empty()) return 0;
    if (!context_.reads_ring()) return static_cast<std::uint32_t>(std::max(wait(done, 0, 0), 0));
    std::size_t next = 0;
    const std::uint32_t count = context_.take(static_cast<std::uint32_t>(done.size()),
                                              [&](const io_event& event) { done[next++] = completion(event); });
    in_flight_ -= count;
    return count;
  }

  // As AioContext::wait; an interrupted wait is a wait that ended early.
  int wait(std::span<dp_done> done, std::uint32_t min, std::uint64_t timeout_ns) noexcept {
    const std::span events = std::span(events_).first(std::min(done.size(), events_.size()));
    const int count = context_.wait(events, min, timeout_ns);
    if (count < 0) return count == -EINTR ? 0 : count;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) done[i] = completion(events[i]);
    in_flight_ -= static_cast<std::uint32_t>(count);
    return count;
  }

  static dp_done completion(const io_event& event) noexcept {
    const auto tag = static_cast<std::uint32_t>(event.data);
    if (event.res >= 0) return {0, event.res, tag, 0};
    const int error = static_cast<int>(-event.res);
    return {0, -dp::code_from_errno(error), tag, static_cast<std::uint32_t>(error)};
  }

  dp::Host host_;
  std::vector<dp::LinuxFile> files_;
  dp::AioContext context_;
  std::vector<iocb> requests_;    // by tag
  std::vector<iocb*> order_;      // of one io_submit
  std::vector<io_event> events_;  // of one io_getevents
  std::vector<dp_done> refused_;  // completed by submit, not handed over yet
  std::uint32_t in_flight_ = 0;   // in the kernel
};

}  // namespace

DP_DEFINE_ENGINE(LibaioEngine)
