// State files by descriptors: pread and pwrite, so that a full disk is an error and no signal.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "state_file.hpp"

namespace sim {
namespace {

int descriptor(std::intptr_t handle) noexcept { return static_cast<int>(handle); }

Failure last_failure() noexcept { return {dp::code_from_errno(errno), static_cast<std::uint32_t>(errno)}; }

int open_it(const char* folder, const std::string& path) {
  if (folder == nullptr) return ::memfd_create("diskproof-sim", MFD_CLOEXEC);
  return ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
}

}  // namespace

StateFile::StateFile(const char* folder, const std::string& name)
    : path_(folder == nullptr ? "memory for " + name : std::string(folder) + "/" + name),
      handle_(open_it(folder, path_)) {
  if (handle_ < 0) fail("open");
}

StateFile::~StateFile() {
  if (mapped_ != nullptr) ::munmap(mapped_, mapped_length_);
  ::close(descriptor(handle_));
}

void StateFile::fail(const std::string& tried) const { dp::throw_errno(errno, tried + " " + path_); }

bool StateFile::claim() {
  const bool alone = ::flock(descriptor(handle_), LOCK_EX | LOCK_NB) == 0;
  if (!alone && errno != EWOULDBLOCK) fail("lock");
  return alone;
}

void StateFile::share() {
  while (::flock(descriptor(handle_), LOCK_SH) != 0)
    if (errno != EINTR) fail("lock");
}

void* StateFile::map(std::size_t length) {
  struct stat status {};
  if (::fstat(descriptor(handle_), &status) != 0) fail("look at");
  if (status.st_size < static_cast<off_t>(length)) {  // with its blocks: touching the memory must not fail later
    errno = ::posix_fallocate(descriptor(handle_), 0, static_cast<off_t>(length));
    if (errno != 0) fail("enlarge");
  }
  void* mapped = ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor(handle_), 0);
  if (mapped == MAP_FAILED) fail("map");
  mapped_ = mapped;
  mapped_length_ = length;
  return mapped_;
}

Failure StateFile::read(std::uint64_t offset, std::byte* data, std::size_t length) const noexcept {
  while (length > 0) {
    const ssize_t got = ::pread(descriptor(handle_), data, length, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return last_failure();
    if (got == 0) {
      std::memset(data, 0, length);
      return {};
    }
    data += got;
    offset += static_cast<std::uint64_t>(got);
    length -= static_cast<std::size_t>(got);
  }
  return {};
}

Failure StateFile::write(std::uint64_t offset, const std::byte* data, std::size_t length) noexcept {
  while (length > 0) {
    const ssize_t put = ::pwrite(descriptor(handle_), data, length, static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return last_failure();
    data += put;
    offset += static_cast<std::uint64_t>(put);
    length -= static_cast<std::size_t>(put);
  }
  return {};
}

Failure StateFile::zero(std::uint64_t offset, std::uint64_t length) noexcept {
  if (length == 0) return {};
  const int holes = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
  if (::fallocate(descriptor(handle_), holes, static_cast<off_t>(offset), static_cast<off_t>(length)) == 0) return {};
  if (errno != EOPNOTSUPP) return last_failure();
  struct stat status {};
  if (::fstat(descriptor(handle_), &status) != 0) return last_failure();
  return write_zeros(offset, std::min(offset + length, static_cast<std::uint64_t>(status.st_size)));
}

}  // namespace sim
