// One io_uring: set up with the best flags that the kernel takes, entered, read, and taken down so that files and
// locked memory are free when the destructor returns. One thread, from construction to destruction.
#pragma once

#include <cstdint>
#include <liburing.h>
#include <span>
#include <string>

#include <diskproof/engine_abi.h>

namespace dp {

struct RingSetup {
  std::uint32_t depth = 1;           // the completion queue gets at least twice as much
  bool iopoll = false;               // completions are found by polling the device
  bool sqpoll = false;               // a kernel thread takes the submissions
  std::uint32_t sqpoll_idle_ms = 0;  // after so long without one it sleeps
};

class Ring {
 public:
  // Throws EngineError that says who forbids it.
  explicit Ring(const RingSetup& setup);
  ~Ring();
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  // 0 or -errno.
  [[nodiscard]] int register_files(std::span<const int> descriptors) noexcept;
  [[nodiscard]] int register_buffers(std::span<const dp_region> regions);

  // Mask of the operations (enum io_uring_op) that the kernel knows; 0: it does not say.
  [[nodiscard]] std::uint64_t known_operations() const;

  // What the kernel took of the flags: "single_issuer+defer_taskrun".
  [[nodiscard]] const char* flags() const noexcept { return flags_; }

  // nullptr: full until the next enter. Zeroed only where a prep function of liburing does it.
  [[nodiscard]] io_uring_sqe* next_sqe() noexcept { return io_uring_get_sqe(&ring_); }

  // Entries that wait for an enter.
  [[nodiscard]] bool has_unsubmitted() const noexcept { return !is_sqpoll() && io_uring_sq_ready(&ring_) != 0; }

  [[nodiscard]] bool is_sqpoll() const noexcept { return (ring_.flags & IORING_SETUP_SQPOLL) != 0; }

  // Hands the entries to the kernel (with sqpoll to its thread, without a call unless that sleeps). 0, or -errno when
  // the ring is lost; what the kernel has no room for stays for the next call.
  [[nodiscard]] int submit() noexcept;

  // The kernel holds completions back until somebody enters.
  [[nodiscard]] bool has_deferred() const noexcept {
    return (IO_URING_READ_ONCE(*ring_.sq.kflags) & (IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW)) != 0;
  }

  // As submit, and waits for `min` completions or until the time is over, or is interrupted.
  [[nodiscard]] int enter(std::uint32_t min, std::uint64_t timeout_ns) noexcept;

  // Gives completions to `take` while that returns true; the one it refuses stays.
  template <class Take>
  void take(Take&& take) noexcept {
    unsigned head = 0, seen = 0;
    io_uring_cqe* cqe = nullptr;
    io_uring_for_each_cqe(&ring_, head, cqe) {
      if (!take(*cqe)) break;
      ++seen;
    }
    io_uring_cq_advance(&ring_, seen);
  }

 private:
  io_uring ring_{};
  const char* flags_ = "";
  bool has_files_ = false;
  bool has_buffers_ = false;
};

// "io_uring_setup for 64 I/Os: …" with the sysctl, filter or limit that is in the way.
[[noreturn]] void throw_setup_failure(int error, const RingSetup& setup);

}  // namespace dp
