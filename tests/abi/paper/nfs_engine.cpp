// On paper: a user-space network client in callback style. One context per queue, every call completes in a callback
// that runs inside reap's service loop. Shows that the contract needs nothing more for this family.
#include <algorithm>
#include <cstring>
#include <poll.h>
#include <span>
#include <vector>

#include <diskproof/engine.hpp>

#include "fake_libnfs.h"

namespace {

struct NfsEngine {
  using Queue = class NfsQueue;
  static constexpr dp::About kAbout{.name = "nfs",
                                    .version = "0",
                                    .summary = "user-space NFS, on paper",
                                    .capabilities = DP_CAP_URLS | DP_CAP_NAMES | DP_CAP_STAMPS,
                                    .operations = dp::operations(DP_OP_READ, DP_OP_WRITE, DP_OP_FSYNC),
                                    .wait_granularity_ns = 1'000'000};
  static constexpr std::array kOptions{
      dp::option(DP_OPTION_STRING, "user", "who asks", nullptr, 0, 0, DP_SCOPE_TARGET),
      dp::option(DP_OPTION_STRING, "password", "a secret", nullptr, 0, 0, DP_SCOPE_TARGET, DP_OPTION_SECRET)};
  static void probe(dp::Host) {}
  NfsEngine(dp::Host h, dp::Options) : host(h) {}
  dp::Host host;
};

class NfsQueue {
 public:
  NfsQueue(NfsEngine& engine, const dp_queue_params& params) : host_(engine.host), slots_(params.depth) {
    ready_.reserve(params.depth);
    for (std::uint32_t tag = 0; tag < params.depth; ++tag) slots_[tag] = {this, tag, nullptr};
    if (nfs_mount_url(nfs_, params.targets[0].spec) != 0) throw dp::EngineError(DP_ENODEV, nfs_get_error(nfs_));
    nfs_open(nfs_, params.targets[0].spec, 0, &file_);
  }
  ~NfsQueue() {
    nfs_close(nfs_, file_);
    nfs_destroy_context(nfs_);
  }

  std::int32_t submit(std::span<const dp_io> ios) noexcept {
    for (const dp_io& io : ios) {
      slots_[io.tag].to = io.op == DP_OP_READ ? io.data : nullptr;
      finish_now_if(start(io, slots_[io.tag]), slots_[io.tag]);
    }
    return static_cast<std::int32_t>(ios.size());
  }
  std::int32_t submit_names(std::span<const dp_name_op> ops) noexcept {
    for (const dp_name_op& op : ops) {
      const auto call = op.op == DP_NAME_MKDIR ? nfs_mkdir_async : nfs_unlink_async;
      finish_now_if(call(nfs_, op.path, &NfsQueue::completed, &slots_[op.tag]), slots_[op.tag]);
    }
    return static_cast<std::int32_t>(ops.size());
  }
  std::int32_t reap(std::span<dp_done> done, std::uint32_t min, std::uint64_t timeout_ns) noexcept {
    const std::uint64_t deadline = host_.after(host_.now(), timeout_ns);
    do {
      pollfd fd{nfs_get_fd(nfs_), static_cast<short>(nfs_which_events(nfs_)), 0};
      const bool enough = ready_.size() >= min || host_.now() >= deadline;
      if (::poll(&fd, 1, enough ? 0 : 1) > 0 && nfs_service(nfs_, fd.revents) != 0) return -DP_ENODEV;
    } while (ready_.size() < min && host_.now() < deadline);
    const std::size_t count = std::min(done.size(), ready_.size());
    std::copy_n(ready_.begin(), count, done.begin());
    ready_.erase(ready_.begin(), ready_.begin() + static_cast<std::ptrdiff_t>(count));
    return static_cast<std::int32_t>(count);
  }
  std::int32_t cancel(std::uint32_t) noexcept { return -DP_ENOTSUP; }
  void target_info(std::uint32_t, dp_target_info& info) const { dp::copy_text(info.description, "NFSv3"); }

 private:
  struct Slot {
    NfsQueue* queue;
    std::uint32_t tag;
    void* to;
  };
  int start(const dp_io& io, Slot& slot) noexcept {
    if (io.op == DP_OP_READ) return nfs_pread_async(nfs_, file_, io.offset, io.length, &completed, &slot);
    if (io.op == DP_OP_WRITE) return nfs_pwrite_async(nfs_, file_, io.offset, io.length, io.data, &completed, &slot);
    return nfs_fsync_async(nfs_, file_, &completed, &slot);
  }
  void finish_now_if(int status, Slot& slot) noexcept {  // what cannot be started completes with its error
    if (status != 0) completed(-EIO, nfs_, nullptr, &slot);
  }
  static void completed(int status, nfs_context*, void* data, void* private_data) noexcept {
    const Slot& slot = *static_cast<Slot*>(private_data);
    if (status > 0 && slot.to != nullptr) std::memcpy(slot.to, data, static_cast<std::size_t>(status));
    const std::int64_t result = status >= 0 ? status : -std::int64_t{dp::code_from_errno(-status)};
    slot.queue->ready_.push_back({slot.queue->host_.now(), result, slot.tag, status < 0 ? std::uint32_t(-status) : 0});
  }

  dp::Host host_;
  nfs_context* nfs_ = nfs_init_context();
  nfsfh* file_ = nullptr;
  std::vector<Slot> slots_;     // by tag
  std::vector<dp_done> ready_;  // completed, not reaped; within the reserved depth
};

}  // namespace

template class dp::Adaptor<NfsEngine>;
