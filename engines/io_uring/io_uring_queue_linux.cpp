// The hot path: entries filled and handed to the kernel, completions taken over.
#include "io_uring_queue_linux.hpp"

#include <algorithm>
#include <cerrno>
#include <linux/falloc.h>

namespace dp {
namespace {

constexpr std::uint64_t kCancelMark = ~std::uint64_t{0};  // of a cancel itself, which nobody waits for

// Discards a range of a block device; Linux 6.12. Older kernels answer that they do not support it.
constexpr std::uint32_t kBlockDiscard = 0x1200;  // _IO(0x12, 0)

}  // namespace

std::int32_t IoUringQueue::submit(std::span<const dp_io> ios) noexcept {
  const std::size_t free = depth_ - in_flight_ - refused_.size();
  std::int32_t taken = 0;
  for (const dp_io& io : ios.first(std::min(ios.size(), free))) {
    if (io.target >= files_.size() || io.tag >= depth_ || io.op > DP_OP_WRITE_ZEROES || io.length == kNameMark) {
      complete(io.tag, -EINVAL);
    } else {
      Ring& ring = beside_ && io.op > DP_OP_WRITE ? *beside_ : ring_;
      io_uring_sqe* sqe = ring.next_sqe();
      if (sqe == nullptr) break;
      fill(*sqe, io);
      ++in_flight_;
    }
    ++taken;
  }
  int status = ring_.submit();
  if (status == 0 && beside_) status = beside_->submit();
  return status < 0 ? -code_from_errno(-status) : taken;
}

std::int32_t IoUringQueue::submit_names(std::span<const dp_name_op> ops) noexcept {
  const std::size_t free = depth_ - in_flight_ - refused_.size();
  std::int32_t taken = 0;
  for (const dp_name_op& op : ops.first(std::min(ops.size(), free))) {
    const std::int64_t fault = op.tag >= depth_ ? -EINVAL : names_.fault_of(op);
    if (fault != 0) {
      complete(op.tag, fault);
    } else if (!names_.is_queued(op)) {
      complete(op.tag, names_.run(op));
    } else if (!start(op)) {
      break;
    }
    ++taken;
  }
  const int status = (beside_ ? *beside_ : ring_).submit();
  return status < 0 ? -code_from_errno(-status) : taken;
}

bool IoUringQueue::start(const dp_name_op& op) noexcept {
  io_uring_sqe* sqe = (beside_ ? *beside_ : ring_).next_sqe();
  if (sqe == nullptr) return false;
  names_.fill(*sqe, op);
  uncounted_[op.tag] = kNameMark;
  io_uring_sqe_set_data64(sqe, mark_of(op.tag));
  ++in_flight_;
  return true;
}

std::int32_t IoUringQueue::reap(std::span<dp_done> done, std::uint32_t min, std::uint64_t timeout_ns) noexcept {
  std::size_t count = 0;
  while (count < done.size() && !refused_.empty()) {
    done[count++] = refused_.back();
    refused_.pop_back();
  }
  const std::size_t wanted = std::min<std::size_t>(min, done.size());
  if (beside_) return poll(*beside_, done, count, wanted, timeout_ns);
  take(ring_, done, count);
  const bool unsubmitted = ring_.has_unsubmitted();
  if (count >= wanted && !unsubmitted && (count > 0 || !ring_.has_deferred())) return static_cast<std::int32_t>(count);
  if (in_flight_ == 0 && !unsubmitted) {
    if (count == 0) host_.wait_until(host_.after(host_.now(), timeout_ns));
    return static_cast<std::int32_t>(count);
  }
  const std::size_t missing = count < wanted ? std::min<std::size_t>(wanted - count, in_flight_) : 0;
  const int status = ring_.enter(static_cast<std::uint32_t>(missing), timeout_ns);
  take(ring_, done, count);
  return status < 0 && count == 0 ? -code_from_errno(-status) : static_cast<std::int32_t>(count);
}

std::int32_t IoUringQueue::poll(Ring& beside, std::span<dp_done> done, std::size_t count, std::size_t wanted,
                                std::uint64_t timeout_ns) noexcept {
  const std::uint64_t deadline = host_.after(host_.now(), timeout_ns);
  do {
    for (Ring* ring : {&ring_, &beside}) {
      const int status = ring->enter(0, 0);
      take(*ring, done, count);
      if (status < 0 && count == 0) return -code_from_errno(-status);
    }
    if (in_flight_ == 0 && count < wanted) {
      if (count == 0) host_.wait_until(deadline);
      break;
    }
  } while (count < wanted && host_.now() < deadline);
  return static_cast<std::int32_t>(count);
}

std::int32_t IoUringQueue::cancel(std::uint32_t tag) noexcept {
  if (beside_ || tag >= depth_) return -DP_ENOTSUP;  // polled I/O cannot be called back
  io_uring_sqe* sqe = ring_.next_sqe();
  if (sqe == nullptr && ring_.enter(0, 0) == 0) sqe = ring_.next_sqe();
  if (sqe == nullptr) return -DP_ENOTSUP;
  io_uring_prep_cancel64(sqe, mark_of(tag), 0);
  io_uring_sqe_set_data64(sqe, kCancelMark);
  const int status = ring_.submit();
  return status < 0 ? -code_from_errno(-status) : 0;
}

void IoUringQueue::fill(io_uring_sqe& sqe, const dp_io& io) noexcept {
  if (io.op > DP_OP_WRITE) {
    fill_plain(sqe, io);
  } else {
    const int file = fixed_files_ ? io.target : files_[io.target].descriptor();
    if (fixed_buffers_) {
      io_uring_prep_rw(io.op == DP_OP_READ ? IORING_OP_READ_FIXED : IORING_OP_WRITE_FIXED, &sqe, file, io.data,
                       io.length, io.offset);
      sqe.buf_index = io.region;
    } else {
      io_uring_prep_rw(io.op == DP_OP_READ ? IORING_OP_READ : IORING_OP_WRITE, &sqe, file, io.data, io.length,
                       io.offset);
    }
    if (fixed_files_) sqe.flags |= IOSQE_FIXED_FILE;
  }
  io_uring_sqe_set_data64(&sqe, mark_of(io.tag));
}

void IoUringQueue::fill_plain(io_uring_sqe& sqe, const dp_io& io) noexcept {
  const LinuxFile& target = files_[io.target];
  const int file = target.descriptor();
  const auto offset = static_cast<off_t>(io.offset);
  uncounted_[io.tag] = io.op == DP_OP_TRIM || io.op == DP_OP_WRITE_ZEROES ? io.length : 0;
  if (io.op == DP_OP_TRIM && target.is_device()) {
    io_uring_prep_rw(IORING_OP_URING_CMD, &sqe, file, nullptr, 0, 0);
    sqe.cmd_op = kBlockDiscard;
    sqe.addr = io.offset;
    sqe.addr3 = io.length;
  } else if (io.op == DP_OP_TRIM) {
    io_uring_prep_fallocate(&sqe, file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, io.length);
  } else if (io.op == DP_OP_WRITE_ZEROES) {
    io_uring_prep_fallocate(&sqe, file, FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE, offset, io.length);
  } else {
    io_uring_prep_fsync(&sqe, file, io.op == DP_OP_FDATASYNC ? IORING_FSYNC_DATASYNC : 0u);
  }
}

void IoUringQueue::complete(std::uint32_t tag, std::int64_t result) noexcept {
  const int error = result < 0 ? static_cast<int>(-result) : 0;
  refused_.push_back({0, error == 0 ? result : -code_from_errno(error), tag, static_cast<std::uint32_t>(error)});
}

void IoUringQueue::take(Ring& ring, std::span<dp_done> done, std::size_t& count) noexcept {
  ring.take([&](const io_uring_cqe& cqe) {
    if (cqe.user_data == kCancelMark) return true;
    if (count == done.size()) return false;
    const auto tag = static_cast<std::uint32_t>(cqe.user_data);
    const auto uncounted = static_cast<std::uint32_t>(cqe.user_data >> 32);
    std::int64_t result = cqe.res;
    if (uncounted != 0) {
      uncounted_[tag] = 0;
      if (uncounted == kNameMark)
        result = names_.finish(tag, cqe.res);
      else if (result >= 0)
        result += uncounted;
    }
    if (result >= 0)
      done[count] = {0, result, tag, 0};
    else
      done[count] = {0, -code_from_errno(static_cast<int>(-result)), tag, static_cast<std::uint32_t>(-result)};
    ++count;
    --in_flight_;
    return true;
  });
}

}  // namespace dp
