// Operations on names: by the ring where the kernel has them, else by plain calls. From Linux 5.6 on it opens, closes
// and looks at names, from 5.11 it unlinks and renames, from 5.15 it makes folders; it never truncates, lists or syncs
// by name.
#pragma once

#include <cstdint>
#include <liburing.h>
#include <memory>
#include <span>
#include <sys/stat.h>

#include <diskproof/linux_names.hpp>

#include "ring_linux.hpp"

namespace dp {

class RingNames {
 public:
  RingNames(const Ring& ring, std::span<const dp_target> targets, std::uint32_t depth);

  // Why it cannot be started: 0 or -errno.
  [[nodiscard]] std::int64_t fault_of(const dp_name_op& op) const noexcept { return plain_.fault_of(op); }
  [[nodiscard]] bool is_queued(const dp_name_op& op) const noexcept;
  // For one that is queued.
  void fill(io_uring_sqe& sqe, const dp_name_op& op) noexcept;
  // What the completion of it is worth: bytes or -errno.
  std::int64_t finish(std::uint32_t tag, std::int32_t result) noexcept;
  // The others.
  [[nodiscard]] std::int64_t run(const dp_name_op& op) const noexcept { return plain_.run(op); }

 private:
  struct Slot {  // of a tag in flight
    void* out;
    std::uint32_t out_len;
    std::uint8_t op;
    struct statx found;
  };

  LinuxNames plain_;
  std::uint64_t known_;            // mask of the kernel's operations
  std::unique_ptr<Slot[]> slots_;  // by tag; written when one starts
};

}  // namespace dp
