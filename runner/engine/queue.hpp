// The hot calls of one open queue: inline, noexcept, nothing but the table. Copy it into the worker; it is valid while
// its session Queue lives, on the thread that opened that.
#pragma once

#include <cstdint>
#include <span>

#include <diskproof/engine_abi.h>

namespace diskproof {

class QueueCalls {
 public:
  QueueCalls(const dp_engine_api& api, dp_queue* queue) noexcept
      : queue_(queue), submit_(api.submit), reap_(api.reap), cancel_(api.cancel), submit_names_(api.submit_names) {}

  // How many of the first I/Os were taken, 0: full; negative: -enum dp_code, the queue is lost.
  std::int32_t submit(std::span<const dp_io> ios) const noexcept {
    return submit_(queue_, ios.data(), static_cast<std::uint32_t>(ios.size()));
  }

  // How many completions were written; negative: -enum dp_code, the queue is lost.
  std::int32_t reap(std::span<dp_done> done, std::uint32_t min, std::uint64_t timeout_ns) const noexcept {
    return reap_(queue_, done.data(), static_cast<std::uint32_t>(done.size()), min, timeout_ns);
  }

  std::int32_t cancel(std::uint32_t tag) const noexcept { return cancel_(queue_, tag); }

  // As submit; -DP_ENOTSUP from an engine without names.
  std::int32_t submit_names(std::span<const dp_name_op> ops) const noexcept {
    if (submit_names_ == nullptr) return -DP_ENOTSUP;
    return submit_names_(queue_, ops.data(), static_cast<std::uint32_t>(ops.size()));
  }

 private:
  dp_queue* queue_;
  decltype(dp_engine_api::submit) submit_;
  decltype(dp_engine_api::reap) reap_;
  decltype(dp_engine_api::cancel) cancel_;
  decltype(dp_engine_api::submit_names) submit_names_;
};

}  // namespace diskproof
