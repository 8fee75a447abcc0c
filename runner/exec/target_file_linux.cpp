// Opening targets on Linux.
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exec/target_file.hpp"
#include "support/error.hpp"
#include "support/system_text.hpp"

namespace diskproof {

namespace {

// Of a file: what the system says of other things means little.
std::string open_fault(int code) {
  if (code == ELOOP) return "it is a symbolic link, which is not followed";
  return code == ENXIO ? "it is not a regular file" : system_text(code);
}

int flags_for(TargetAccess access) {
  const int durable = access.sync ? O_SYNC : access.dsync ? O_DSYNC : 0;
  return (access.write ? O_RDWR : O_RDONLY) | (access.direct ? O_DIRECT : 0) | durable | O_CLOEXEC;
}

}  // namespace

TargetFile::TargetFile(const std::string& path, TargetAccess access, int descriptor) : path_(path) {
  const int fd = open(fmt::format("/proc/self/fd/{}", descriptor).c_str(), flags_for(access));
  if (fd < 0) throw Error(ErrorKind::failed, fmt::format("opening {}: {}", path, system_text(errno)));
  held_ = fd;
  struct stat status {};
  if (fstat(fd, &status) == 0 && S_ISBLK(status.st_mode)) return;
  close(fd);
  throw Error(ErrorKind::failed, fmt::format("opening {}: what was handed over is no block device", path));
}

TargetFile::TargetFile(const std::string& path, TargetAccess access, ExpectedFile expected) : path_(path) {
  const int flags = flags_for(access);
  const int fd = open(path.c_str(), flags | O_NOFOLLOW | O_NONBLOCK);  // a FIFO would wait for its other end
  if (fd < 0) {
    const int code = errno;
    if (code == EINVAL && access.direct) {
      throw Error(ErrorKind::unavailable,
                  fmt::format("opening {} for direct I/O: the file system does not support it; use another folder, or "
                              "say `direct: false` and measure the page cache knowingly",
                              path));
    }
    throw Error(ErrorKind::failed, fmt::format("opening {}: {}", path, open_fault(code)));
  }
  held_ = fd;
  struct stat status {};
  // Without O_NONBLOCK again: io_uring takes it for a wish not to wait for the disk.
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || fcntl(fd, F_SETFL, flags) != 0) {
    close(fd);
    held_ = -1;
    throw Error(ErrorKind::failed, fmt::format("opening {}: it is not a regular file", path));
  }
  if (expected.device != 0 && (status.st_dev != expected.device || status.st_ino != expected.inode)) {
    close(fd);
    held_ = -1;
    throw Error(ErrorKind::refused,
                fmt::format("opening {}: another file has taken the place of the one that the run prepared", path));
  }
}

TargetFile::~TargetFile() {
  if (held_ >= 0) close(static_cast<int>(held_));
}

std::int64_t TargetFile::handle() const noexcept { return held_; }

void TargetFile::allocate(std::uint64_t size) {
  if (fallocate(static_cast<int>(held_), 0, 0, static_cast<off_t>(size)) == 0) return;
  if (errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL) return;
  throw Error(ErrorKind::failed, fmt::format("reserving {} bytes for {}: {}", size, path_, system_text(errno)));
}

}  // namespace diskproof
