// One thread's ring with its targets and buffers.
//
// submit enters the kernel; reap does so only when completions are missing. The alternative, one call in reap that
// submits and waits, was measured with 4 KiB reads: from the page cache it costs 1.12 times the CPU time at batch 1
// (the wait brings a time limit along) and the same within 2 % at batch 16 and 32; on a virtio disk there was no
// difference.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <diskproof/engine.hpp>
#include <diskproof/linux_file.hpp>

#include "io_uring_engine_linux.hpp"
#include "ring_linux.hpp"
#include "ring_names_linux.hpp"

namespace dp {

class IoUringQueue {
 public:
  IoUringQueue(IoUringEngine& engine, const dp_queue_params& params);

  std::int32_t submit(std::span<const dp_io> ios) noexcept;
  std::int32_t reap(std::span<dp_done> done, std::uint32_t min, std::uint64_t timeout_ns) noexcept;
  std::int32_t cancel(std::uint32_t tag) noexcept;
  std::int32_t submit_names(std::span<const dp_name_op> ops) noexcept;
  void target_info(std::uint32_t target, dp_target_info& info) const;

 private:
  void register_files(std::string_view mode);
  void register_buffers(std::string_view mode, std::span<const dp_region> regions);
  // Reads once from each target: setting the ring up succeeds where polling does not work.
  void prove_polling(std::span<const dp_target> targets);

  void fill(io_uring_sqe& sqe, const dp_io& io) noexcept;
  // What is neither read nor write, on plain descriptors: the ring beside has no registered ones.
  void fill_plain(io_uring_sqe& sqe, const dp_io& io) noexcept;
  // False: the ring has no entry left.
  bool start(const dp_name_op& op) noexcept;
  // Completes it now: bytes or -errno.
  void complete(std::uint32_t tag, std::int64_t result) noexcept;
  // Moves completions to `done` from `count` on.
  void take(Ring& ring, std::span<dp_done> done, std::size_t& count) noexcept;
  // Until `wanted` are there; a polling ring knows no time limit and does not wait by itself.
  std::int32_t poll(Ring& beside, std::span<dp_done> done, std::size_t count, std::size_t wanted,
                    std::uint64_t timeout_ns) noexcept;

  // In the place of the uncounted bytes: an operation on a name.
  static constexpr std::uint32_t kNameMark = ~std::uint32_t{0};

  // An I/O's user_data: the tag, and above it the bytes that the kernel does not count (trim, write_zeroes).
  [[nodiscard]] std::uint64_t mark_of(std::uint32_t tag) const noexcept {
    return std::uint64_t{uncounted_[tag]} << 32 | tag;
  }

  Host host_;
  std::uint32_t depth_;
  std::vector<LinuxFile> files_;
  Ring ring_;
  std::optional<Ring> beside_;  // with iopoll: for what cannot be polled
  RingNames names_;
  bool fixed_files_ = false;
  bool fixed_buffers_ = false;
  std::string description_;
  std::vector<std::uint32_t> uncounted_;  // by tag; 0 for everything but a trim or write_zeroes in flight
  std::vector<dp_done> refused_;          // completed by submit, not handed over yet
  std::uint32_t in_flight_ = 0;           // in the rings
};

}  // namespace dp
