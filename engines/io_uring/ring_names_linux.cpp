// Entries for names, and what their completions mean.
#include "ring_names_linux.hpp"

#include <cerrno>

namespace dp {
namespace {

// The kernel's operation; IORING_OP_NOP: it has none.
std::uint32_t kernel_operation(const dp_name_op& op) noexcept {
  switch (op.op) {
    case DP_NAME_CREATE:
    case DP_NAME_OPEN:
      return IORING_OP_OPENAT;
    case DP_NAME_CLOSE:
      return IORING_OP_CLOSE;
    case DP_NAME_STAT:
      return IORING_OP_STATX;
    case DP_NAME_UNLINK:
    case DP_NAME_RMDIR:
      return IORING_OP_UNLINKAT;
    case DP_NAME_RENAME:
      return IORING_OP_RENAMEAT;
    case DP_NAME_MKDIR:
      return IORING_OP_MKDIRAT;
    default:
      return IORING_OP_NOP;
  }
}

}  // namespace

RingNames::RingNames(const Ring& ring, std::span<const dp_target> targets, std::uint32_t depth)
    : plain_(targets), known_(ring.known_operations()), slots_(new Slot[depth]) {}

bool RingNames::is_queued(const dp_name_op& op) const noexcept {
  const std::uint32_t operation = kernel_operation(op);
  return operation != IORING_OP_NOP && (known_ >> operation & 1) != 0;
}

void RingNames::fill(io_uring_sqe& sqe, const dp_name_op& op) noexcept {
  Slot& slot = slots_[op.tag];
  slot.out = op.out;
  slot.out_len = op.out_len;
  slot.op = op.op;
  const int at = op.op == DP_NAME_CLOSE ? -1 : plain_.folder(op.target);
  switch (kernel_operation(op)) {
    case IORING_OP_OPENAT:
      return io_uring_prep_openat(&sqe, at, op.path, open_flags(op), kFileMode);
    case IORING_OP_CLOSE:
      return io_uring_prep_close(&sqe, static_cast<int>(op.offset_or_handle));
    case IORING_OP_STATX:
      return io_uring_prep_statx(&sqe, at, op.path, AT_SYMLINK_NOFOLLOW, STATX_TYPE | STATX_SIZE | STATX_INO,
                                 &slot.found);
    case IORING_OP_UNLINKAT:
      return io_uring_prep_unlinkat(&sqe, at, op.path, op.op == DP_NAME_RMDIR ? AT_REMOVEDIR : 0);
    case IORING_OP_RENAMEAT:
      return io_uring_prep_renameat(&sqe, at, op.path, at, op.path2, 0);
    default:
      return io_uring_prep_mkdirat(&sqe, at, op.path, kFolderMode);
  }
}

std::int64_t RingNames::finish(std::uint32_t tag, std::int32_t result) noexcept {
  const Slot& slot = slots_[tag];
  if (result < 0) return result;
  if (slot.op == DP_NAME_STAT) {
    return give_out(slot.out, slot.out_len,
                    dp_name_stat{slot.found.stx_size, slot.found.stx_ino, S_ISDIR(slot.found.stx_mode) ? 1u : 0u, 0});
  }
  if (slot.op != DP_NAME_CREATE && slot.op != DP_NAME_OPEN) return result;
  const std::int64_t given = give_out(slot.out, slot.out_len, static_cast<std::uint64_t>(result));
  if (given < 0) ::close(result);
  return given;
}

}  // namespace dp
