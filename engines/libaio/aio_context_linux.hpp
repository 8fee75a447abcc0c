// One kernel AIO context: set up for a depth, submit, take what is done. Straight on the system calls, because the
// completions are read from the context's ring, which the kernel maps into the process: no call when they are there.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <linux/aio_abi.h>
#include <span>

namespace dp {

class AioContext {
 public:
  // Throws EngineError that says what to do, above all at the system's limit fs.aio-max-nr.
  explicit AioContext(std::uint32_t depth);
  ~AioContext();
  AioContext(const AioContext&) = delete;
  AioContext& operator=(const AioContext&) = delete;

  // How many of the first were taken, or -errno, which is about the first.
  [[nodiscard]] int submit(std::span<iocb*> requests) const noexcept;

  // Waits for `min` completions or until the time is over; their number, or -errno.
  [[nodiscard]] int wait(std::span<io_event> events, std::uint32_t min, std::uint64_t timeout_ns) const noexcept;

  // The mapped ring has the layout that this code knows.
  [[nodiscard]] bool reads_ring() const noexcept { return ring_ != nullptr; }

  // Gives at most `max` completions to `take`, without a system call. Only where reads_ring().
  template <class Take>
  std::uint32_t take(std::uint32_t max, Take&& take) const noexcept {
    const std::atomic_ref<std::uint32_t> head(ring_->head), tail(ring_->tail);
    const std::uint32_t end = tail.load(std::memory_order_acquire);  // the events before it are complete
    std::uint32_t next = head.load(std::memory_order_relaxed), taken = 0;
    while (next != end && taken < max) {
      take(events_[next]);
      next = next + 1 == slots_ ? 0 : next + 1;
      ++taken;
    }
    if (taken != 0) head.store(next, std::memory_order_release);  // from here on the kernel may write there
    return taken;
  }

 private:
  // The kernel's header of the ring; the events follow.
  struct Ring {
    std::uint32_t id, slots, head, tail;
    std::uint32_t magic, compatible_features, incompatible_features, header_length;
  };

  aio_context_t context_ = 0;
  Ring* ring_ = nullptr;
  const io_event* events_ = nullptr;
  std::uint32_t slots_ = 0;
};

}  // namespace dp
