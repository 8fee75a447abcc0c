// sync on Windows: ReadFile and WriteFile at an offset, one I/O at a time. submit does the I/O, the next reap hands it
// over.
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <diskproof/engine.hpp>
#include <diskproof/windows_file.hpp>

namespace {

class SyncQueue;

struct SyncEngine {
  using Queue = SyncQueue;
  static constexpr dp::About kAbout{.name = "sync",
                                    .version = "0.1.0",
                                    .summary = "ReadFile and WriteFile, one I/O per thread",
                                    .capabilities = DP_CAP_SYNC | DP_CAP_FILES | DP_CAP_DEVICES,
                                    .operations = dp::operations(DP_OP_READ, DP_OP_WRITE, DP_OP_FSYNC, DP_OP_FDATASYNC),
                                    .max_depth = 1};
  static constexpr std::array<dp_option, 0> kOptions{};

  static void probe(dp::Host) {}  // every Windows has these calls
  SyncEngine(dp::Host host_, dp::Options) : host(host_) {}

  dp::Host host;
};

class SyncQueue {
 public:
  SyncQueue(SyncEngine& engine, const dp_queue_params& params) : host_(engine.host) {
    if (params.depth != 1) throw dp::EngineError(DP_EINVAL, "the queue depth is 1; use threads for more");
    files_.reserve(params.target_count);
    for (const dp_target& target : std::span(params.targets, params.target_count)) files_.emplace_back(target);
  }

  std::int32_t submit(std::span<const dp_io> ios) noexcept {
    if (ios.empty() || waiting_) return 0;
    const dp_io& io = ios.front();
    DWORD moved = 0;
    const DWORD error = run(io, moved);
    done_ = dp_done{0, error == ERROR_SUCCESS ? moved : -std::int64_t{dp::code_from_windows(error)}, io.tag, error};
    waiting_ = true;
    return 1;
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
  // ERROR_SUCCESS with the bytes moved, which may be fewer than asked, or the error.
  [[nodiscard]] DWORD run(const dp_io& io, DWORD& moved) const noexcept {
    if (io.target >= files_.size()) return ERROR_INVALID_PARAMETER;
    const dp::WindowsFile& file = files_[io.target];
    OVERLAPPED at{};
    at.Offset = static_cast<DWORD>(io.offset);
    at.OffsetHigh = static_cast<DWORD>(io.offset >> 32);
    BOOL worked = FALSE;
    switch (io.op) {
      case DP_OP_READ:
        if (!file.is_aligned(io)) return ERROR_INVALID_PARAMETER;
        worked = ReadFile(file.handle(), io.data, io.length, &moved, &at);
        break;
      case DP_OP_WRITE:
        if (!file.is_aligned(io)) return ERROR_INVALID_PARAMETER;
        worked = WriteFile(file.handle(), io.data, io.length, &moved, &at);
        break;
      case DP_OP_FSYNC:
      case DP_OP_FDATASYNC:
        worked = FlushFileBuffers(file.handle());
        break;
      default:
        return ERROR_NOT_SUPPORTED;
    }
    const DWORD error = worked != 0 ? ERROR_SUCCESS : GetLastError();
    return error == ERROR_HANDLE_EOF ? ERROR_SUCCESS : error;  // nothing was read
  }

  dp::Host host_;
  std::vector<dp::WindowsFile> files_;
  dp_done done_{};
  bool waiting_ = false;  // done_ is not handed over yet
};

}  // namespace

DP_DEFINE_ENGINE(SyncEngine)
