// sync on Linux: pread, pwrite and their kin, one I/O at a time. submit does the I/O, the next reap hands it over.
#include <array>
#include <cerrno>
#include <cstdint>
#include <span>
#include <unistd.h>
#include <vector>

#include <diskproof/engine.hpp>
#include <diskproof/linux_file.hpp>
#include <diskproof/linux_names.hpp>

namespace {

class SyncQueue;

struct SyncEngine {
  using Queue = SyncQueue;
  static constexpr dp::About kAbout{
      .name = "sync",
      .version = "0.2.0",
      .summary = "pread and pwrite, one I/O per thread",
      .capabilities = DP_CAP_SYNC | DP_CAP_FILES | DP_CAP_DEVICES | DP_CAP_NAMES | DP_CAP_NAMES_BLOCK,
      .operations =
          dp::operations(DP_OP_READ, DP_OP_WRITE, DP_OP_TRIM, DP_OP_FSYNC, DP_OP_FDATASYNC, DP_OP_WRITE_ZEROES),
      .max_depth = 1};
  static constexpr std::array<dp_option, 0> kOptions{};

  static void probe(dp::Host) {}  // every Linux has these calls
  SyncEngine(dp::Host host_, dp::Options) : host(host_) {}

  dp::Host host;
};

class SyncQueue {
 public:
  SyncQueue(SyncEngine& engine, const dp_queue_params& params)
      : host_(engine.host), names_(std::span(params.targets, params.target_count)) {
    if (params.depth != 1) throw dp::EngineError(DP_EINVAL, "the queue depth is 1; use threads for more");
    files_.reserve(params.target_count);
    for (const dp_target& target : std::span(params.targets, params.target_count)) files_.emplace_back(target);
  }

  std::int32_t submit(std::span<const dp_io> ios) noexcept {
    if (ios.empty() || waiting_) return 0;
    return finish(ios.front().tag, run(ios.front()));
  }

  std::int32_t submit_names(std::span<const dp_name_op> ops) noexcept {
    if (ops.empty() || waiting_) return 0;
    return finish(ops.front().tag, names_.run(ops.front()));
  }

  std::int32_t reap(std::span<dp_done> done, std::uint32_t min, std::uint64_t timeout_ns) noexcept {
    if (waiting_ && !done.empty()) {
      done.front() = done_;
      waiting_ = false;
      return 1;
    }
    if (!waiting_ && min > 0) host_.wait_until(host_.after(host_.now(), timeout_ns));
    return 0;
  }

  std::int32_t cancel(std::uint32_t) noexcept { return -DP_ENOTSUP; }

  void target_info(std::uint32_t target, dp_target_info& info) const { files_.at(target).describe(info); }

 private:
  // One was taken: the next reap has it.
  std::int32_t finish(std::uint32_t tag, std::int64_t result) noexcept {
    done_ = dp_done{0, result, tag, 0};
    if (result < 0) {
      const int error = static_cast<int>(-result);
      done_.result = -dp::code_from_errno(error);
      done_.os_code = static_cast<std::uint32_t>(error);
    }
    waiting_ = true;
    return 1;
  }

  // Bytes moved, as the kernel says also when they are fewer than asked, or -errno.
  [[nodiscard]] std::int64_t run(const dp_io& io) const noexcept {
    if (io.target >= files_.size()) return -EINVAL;
    const dp::LinuxFile& file = files_[io.target];
    if (io.op != DP_OP_READ && io.op != DP_OP_WRITE) return file.plain_call(io);
    const auto offset = static_cast<off_t>(io.offset);
    ssize_t moved = 0;
    do {
      moved = io.op == DP_OP_READ ? ::pread(file.descriptor(), io.data, io.length, offset)
                                  : ::pwrite(file.descriptor(), io.data, io.length, offset);
    } while (moved < 0 && errno == EINTR);
    return moved < 0 ? -errno : moved;
  }

  dp::Host host_;
  dp::LinuxNames names_;
  std::vector<dp::LinuxFile> files_;
  dp_done done_{};
  bool waiting_ = false;  // done_ is not handed over yet
};

}  // namespace

DP_DEFINE_ENGINE(SyncEngine)
