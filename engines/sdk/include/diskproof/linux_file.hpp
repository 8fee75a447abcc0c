// A file or block device as an engine's target on Linux: attach, describe, and the operations that are plain calls in
// every engine (trim, write_zeroes, sync). Results are bytes or -enum dp_code, with the errno aside.
#pragma once

#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <utility>

#include <diskproof/engine_services.hpp>

namespace dp {

class LinuxFile {
 public:
  // Uses the runner's descriptor, or opens `spec` itself where there is none.
  explicit LinuxFile(const dp_target& target) : descriptor_(static_cast<int>(target.native_handle)) {
    flags_ = target.flags;
    if (target.native_handle < 0) {
      descriptor_ = ::open(target.spec, open_flags(target.flags) | O_NONBLOCK);  // a FIFO would wait
      if (descriptor_ < 0) throw_errno(errno, std::string("open ") + target.spec);
      owned_ = true;
    }
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) {
      const int error = errno;
      close();
      throw_errno(error, std::string("fstat ") + target.spec);
    }
    device_ = S_ISBLK(status.st_mode);
    if (!device_ && !S_ISREG(status.st_mode)) {
      close();
      throw EngineError(DP_ENOTSUP, std::string(target.spec) + ": neither a regular file nor a block device");
    }
    // io_uring takes it for a wish not to wait for the disk.
    if (owned_ && ::fcntl(descriptor_, F_SETFL, open_flags(target.flags)) != 0) {
      const int error = errno;
      close();
      throw_errno(error, std::string("fcntl ") + target.spec);
    }
  }
  LinuxFile(LinuxFile&& other) noexcept
      : descriptor_(other.descriptor_),
        flags_(other.flags_),
        owned_(std::exchange(other.owned_, false)),
        device_(other.device_) {}
  LinuxFile(const LinuxFile&) = delete;
  LinuxFile& operator=(const LinuxFile&) = delete;
  LinuxFile& operator=(LinuxFile&&) = delete;
  ~LinuxFile() { close(); }

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  [[nodiscard]] bool is_device() const noexcept { return device_; }

  void describe(dp_target_info& info) const {
    struct statx status {};
    if (::statx(descriptor_, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_DIOALIGN, &status) != 0)
      throw_errno(errno, "statx");
    info.size = status.stx_size;
    info.volume_id = makedev(status.stx_dev_major, status.stx_dev_minor);
    info.file_id = status.stx_ino;
    if ((flags_ & DP_TARGET_DIRECT) == 0) {
      info.offset_alignment = info.memory_alignment = 1;
    } else if ((status.stx_mask & STATX_DIOALIGN) != 0) {
      info.offset_alignment = status.stx_dio_offset_align;
      info.memory_alignment = status.stx_dio_mem_align;
    }
    if (!device_) return;
    std::uint64_t bytes = 0;
    if (::ioctl(descriptor_, BLKGETSIZE64, &bytes) != 0) throw_errno(errno, "BLKGETSIZE64");
    info.size = bytes;
    info.volume_id = makedev(status.stx_rdev_major, status.stx_rdev_minor);
    int sector = 0;
    if ((flags_ & DP_TARGET_DIRECT) != 0 && info.offset_alignment == 0 && ::ioctl(descriptor_, BLKSSZGET, &sector) == 0)
      info.offset_alignment = info.memory_alignment = static_cast<std::uint32_t>(sector);
  }

  // DP_OP_TRIM, DP_OP_WRITE_ZEROES, DP_OP_FSYNC or DP_OP_FDATASYNC: bytes, or -errno.
  [[nodiscard]] std::int64_t plain_call(const dp_io& io) const noexcept {
    int status = -1;
    do {
      switch (io.op) {
        case DP_OP_TRIM:
          status = punch(io, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, BLKDISCARD);
          break;
        case DP_OP_WRITE_ZEROES:
          status = punch(io, FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE, BLKZEROOUT);
          break;
        case DP_OP_FSYNC:
          status = ::fsync(descriptor_);
          break;
        case DP_OP_FDATASYNC:
          status = ::fdatasync(descriptor_);
          break;
        default:
          errno = ENOTSUP;
      }
    } while (status != 0 && errno == EINTR);
    return status == 0 ? io.length : -errno;
  }

  static int open_flags(std::uint32_t flags) noexcept {
    int open = O_CLOEXEC | O_NOFOLLOW | ((flags & DP_TARGET_WRITE) != 0 ? O_RDWR : O_RDONLY);
    if ((flags & DP_TARGET_DIRECT) != 0) open |= O_DIRECT;
    if ((flags & DP_TARGET_DSYNC) != 0) open |= O_DSYNC;
    if ((flags & DP_TARGET_SYNC) != 0) open |= O_SYNC;
    return open;
  }

 private:
  [[nodiscard]] int punch(const dp_io& io, int file_mode, unsigned long device_request) const noexcept {
    if (!device_)
      return ::fallocate(descriptor_, file_mode, static_cast<off_t>(io.offset), static_cast<off_t>(io.length));
    std::uint64_t range[2] = {io.offset, io.length};
    return ::ioctl(descriptor_, device_request, range);
  }

  void close() noexcept {
    if (owned_) ::close(descriptor_);
    owned_ = false;
  }

  int descriptor_;
  std::uint32_t flags_ = 0;
  bool owned_ = false;
  bool device_ = false;
};

}  // namespace dp
