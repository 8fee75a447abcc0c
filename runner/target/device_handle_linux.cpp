// Descriptors of block devices. A writable one stays open only while the device is claimed: kernels may be built to
// refuse a mount while somebody could write past it.
#include "target/device_handle_linux.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <utility>

#include "support/error.hpp"

#ifndef BLKGETDISKSEQ  // from Linux 5.15 on
#define BLKGETDISKSEQ _IOR(0x12, 128, std::uint64_t)
#endif

namespace diskproof {
namespace {

bool is_for_want_of_a_right(int code) { return code == EACCES || code == EPERM; }

[[noreturn]] void fail(const std::string& what, const std::string& path, int code) {
  const ErrorKind kind = is_for_want_of_a_right(code) ? ErrorKind::unavailable : ErrorKind::failed;
  const char* const advice =
      is_for_want_of_a_right(code) ? "; it takes the right to read and write the device, which root has as a rule" : "";
  throw Error(kind, fmt::format("cannot {} {}: {}{}", what, path, std::strerror(code), advice));
}

DeviceNumber number_of(const struct stat& status) { return {major(status.st_rdev), minor(status.st_rdev)}; }

// 0 where the kernel does not count.
std::uint64_t sequence_of(int descriptor, const std::string& path) {
  std::uint64_t sequence = 0;
  if (ioctl(descriptor, BLKGETDISKSEQ, &sequence) == 0) return sequence;
  if (errno == ENOTTY || errno == EINVAL) return 0;
  fail("look at", path, errno);
}

std::uint64_t size_of(int descriptor, const std::string& path) {
  std::uint64_t size = 0;
  if (ioctl(descriptor, BLKGETSIZE64, &size) != 0) fail("learn the size of", path, errno);
  return size;
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(ErrorKind::refused, fmt::format("{} is not the device any more that was looked at: {}; nothing more is "
                                              "written to it",
                                              path, why));
}

}  // namespace

DeviceHandle::DeviceHandle(const DeviceFacts& facts)
    : path_(facts.path), number_(facts.number), sequence_(facts.sequence), size_(facts.size) {
  plain_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (plain_ < 0) fail("open", path_, errno);
  try {
    check();
  } catch (...) {
    close(plain_);
    throw;
  }
}

DeviceHandle::DeviceHandle(DeviceHandle&& other) noexcept
    : path_(std::move(other.path_)),
      number_(other.number_),
      sequence_(other.sequence_),
      size_(other.size_),
      plain_(std::exchange(other.plain_, -1)),
      claimed_(std::exchange(other.claimed_, -1)) {}

DeviceHandle& DeviceHandle::operator=(DeviceHandle&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(number_, other.number_);
  std::swap(sequence_, other.sequence_);
  std::swap(size_, other.size_);
  std::swap(plain_, other.plain_);
  std::swap(claimed_, other.claimed_);
  return *this;
}

DeviceHandle::~DeviceHandle() {
  release();
  if (plain_ >= 0) close(plain_);
}

void DeviceHandle::claim() {
  if (claimed_ >= 0) return;
  int read_only = 0;  // some kernels open it for writing all the same, and fail the writes
  if (ioctl(plain_, BLKROGET, &read_only) == 0 && read_only != 0) {
    throw Error(ErrorKind::refused, path_ + " is read-only; make it writable (`blockdev --setrw`)");
  }
  claimed_ = open(program_path().c_str(), O_RDWR | O_EXCL | O_CLOEXEC);
  if (claimed_ >= 0) return;
  const int code = errno;
  if (code == EBUSY) {
    throw Error(ErrorKind::refused, fmt::format("{} is in use: something has claimed it for itself alone (a mount in "
                                                "any namespace, a volume, RAID or ZFS pool, another program); free it "
                                                "first",
                                                path_));
  }
  fail("open for writing", path_, code);
}

void DeviceHandle::release() noexcept {
  if (claimed_ >= 0) close(std::exchange(claimed_, -1));
}

void DeviceHandle::check() const {
  struct stat held {
  }, named{};
  if (fstat(plain_, &held) != 0) fail("look at", path_, errno);
  if (!S_ISBLK(held.st_mode)) refuse(path_, "it is no block device");
  if (number_of(held) != number_) {
    refuse(path_, fmt::format("its number is {}, it was {}", to_string(number_of(held)), to_string(number_)));
  }
  const std::uint64_t sequence = sequence_of(plain_, path_);
  if (sequence != 0 && sequence_ != 0 && sequence != sequence_) {
    refuse(path_, fmt::format("another one was attached in its place (sequence {}, it was {})", sequence, sequence_));
  }
  if (const std::uint64_t size = size_of(plain_, path_); size != size_) {
    refuse(path_, fmt::format("it has {} bytes, it had {}", size, size_));
  }
  if (stat(path_.c_str(), &named) != 0) refuse(path_, fmt::format("its name is gone ({})", std::strerror(errno)));
  if (!S_ISBLK(named.st_mode) || number_of(named) != number_) refuse(path_, "its name leads elsewhere");
}

std::string DeviceHandle::program_path() const { return fmt::format("/proc/{}/fd/{}", getpid(), plain_); }

}  // namespace diskproof
