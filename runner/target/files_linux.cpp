// The file calls of POSIX behind files.hpp.
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <utility>

#include "support/error.hpp"
#include "support/path_text.hpp"
#include "target/files.hpp"

namespace diskproof {
namespace {

[[noreturn]] void fail(const std::string& what, const std::string& path, int code) {
  throw Error(ErrorKind::failed, what + " " + path + ": " + std::strerror(code));
}

// EEXIST: somebody else's stands there. ELOOP: a link took the place of a file.
[[noreturn]] void fail_to_open(const std::string& what, const std::string& path, int code) {
  const ErrorKind kind = code == EEXIST || code == ELOOP ? ErrorKind::refused : ErrorKind::failed;
  throw Error(kind, what + " " + path + ": " + std::strerror(code));
}

std::uint64_t nanoseconds(const struct statx_timestamp& time) {
  if (time.tv_sec < 0) return 0;
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

FileStatus status_from(const struct statx& found) {
  FileStatus status;
  const auto format = found.stx_mode & S_IFMT;
  status.type = format == S_IFREG                        ? FileType::regular
                : format == S_IFDIR                      ? FileType::directory
                : format == S_IFLNK                      ? FileType::symlink
                : format == S_IFBLK || format == S_IFCHR ? FileType::device
                                                         : FileType::other;
  const bool birth_known = (found.stx_mask & STATX_BTIME) != 0;
  status.born = birth_known ? nanoseconds(found.stx_btime) : 0;
  status.identity = {makedev(found.stx_dev_major, found.stx_dev_minor), found.stx_ino, status.born};
  status.size = found.stx_size;
  status.allocated = found.stx_blocks * 512;
  status.owned = found.stx_uid == geteuid();
  status.modified = nanoseconds(found.stx_mtime);
  return status;
}

void write_all(int descriptor, const std::string& text, const std::string& path) {
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t n = write(descriptor, text.data() + written, text.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("cannot write", path, errno);
    written += static_cast<std::size_t>(n);
  }
}

int descriptor(std::intptr_t handle) { return static_cast<int>(handle); }

int open_or_throw(const std::string& path, int flags, const char* what) {
  const int descriptor = open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor < 0) fail_to_open(what, path, errno);
  return descriptor;
}

}  // namespace

FileStatus look_at(const std::string& path) {
  struct statx found {};
  if (statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS | STATX_BTIME, &found) == 0) {
    return status_from(found);
  }
  if (errno == ENOENT || errno == ENOTDIR) return {};
  fail("cannot look at", path, errno);
}

FileStatus look_at_folder(const std::string& path) { return look_at(path + "/."); }

OpenFile::OpenFile(OpenFile&& other) noexcept : handle_(std::exchange(other.handle_, -1)) {}

OpenFile& OpenFile::operator=(OpenFile&& other) noexcept {
  std::swap(handle_, other.handle_);
  return *this;
}

OpenFile::~OpenFile() {
  if (handle_ >= 0) close(descriptor(handle_));
}

FileStatus OpenFile::status() const {
  struct statx found {};
  if (statx(descriptor(handle_), "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, &found) != 0) {
    fail("cannot look at", "an open file", errno);
  }
  return status_from(found);
}

void OpenFile::grow_to(std::uint64_t size, const std::string& path) const {
  if (status().size >= size) return;
  if (ftruncate(descriptor(handle_), static_cast<off_t>(size)) != 0) {
    fail("cannot make it " + std::to_string(size) + " bytes long:", path, errno);
  }
}

bool OpenFile::try_lock() const {
  if (flock(descriptor(handle_), LOCK_EX | LOCK_NB) == 0) return true;
  if (errno == EWOULDBLOCK) return false;
  fail("cannot lock", "an open file", errno);
}

void OpenFile::lock() const {
  while (flock(descriptor(handle_), LOCK_EX) != 0) {
    if (errno != EINTR) fail("cannot lock", "an open file", errno);
  }
}

void OpenFile::append_durably(const std::string& text, const std::string& path) const {
  write_all(descriptor(handle_), text, path);
  if (fsync(descriptor(handle_)) != 0) fail("cannot make durable", path, errno);
}

OpenFile create_file(const std::string& path) {
  return OpenFile(open_or_throw(path, O_RDWR | O_CREAT | O_EXCL | O_APPEND, "cannot create"));
}

OpenFile open_regular_file(const std::string& path) {
  // O_NONBLOCK: a FIFO that took the file's place must not hang us.
  OpenFile file(open_or_throw(path, O_RDWR | O_NONBLOCK, "cannot open"));
  if (file.status().type != FileType::regular) {
    throw Error(ErrorKind::failed, "cannot open " + path + ": it is no longer a regular file");
  }
  return file;
}

OpenFile open_to_append(const std::string& path, std::uint64_t size) {
  const int descriptor = open_or_throw(path, O_RDWR | O_APPEND | O_NONBLOCK, "cannot open");
  OpenFile file(descriptor);
  if (file.status().size > size && ftruncate(descriptor, static_cast<off_t>(size)) != 0) {
    fail("cannot shorten", path, errno);
  }
  return file;
}

OpenFile open_folder(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) fail("cannot open the folder", path, errno);
  return OpenFile(descriptor);
}

std::string folder_lock(const std::string&) { return ""; }

void create_folder(const std::string& path) {
  if (mkdir(path.c_str(), 0700) != 0) fail_to_open("cannot create the folder", path, errno);
}

void remove_file(const std::string& path) {
  if (unlink(path.c_str()) != 0 && errno != ENOENT) fail("cannot remove", path, errno);
}

bool remove_empty_folder(const std::string& path) {
  if (rmdir(path.c_str()) == 0 || errno == ENOENT) return true;
  if (errno == ENOTEMPTY || errno == EEXIST) return false;
  fail("cannot remove the folder", path, errno);
}

std::optional<std::string> read_small_file(const std::string& path, std::uint64_t limit) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0 && errno == ENOENT) return std::nullopt;
  if (descriptor < 0) fail("cannot open", path, errno);
  const OpenFile file(descriptor);
  const FileStatus status = file.status();
  if (status.type != FileType::regular) throw Error(ErrorKind::failed, "cannot read " + path + ": not a regular file");
  if (status.size > limit) {
    throw Error(ErrorKind::failed, "cannot read " + path + ": it is larger than " + std::to_string(limit) + " bytes");
  }
  std::string text(status.size, '\0');
  std::size_t filled = 0;
  while (filled < text.size()) {
    const ssize_t n = read(descriptor, text.data() + filled, text.size() - filled);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("cannot read", path, errno);
    if (n == 0) break;
    filled += static_cast<std::size_t>(n);
  }
  text.resize(filled);
  return text;
}

void rename_over(const std::string& from, const std::string& to) {
  if (rename(from.c_str(), to.c_str()) != 0) fail("cannot replace", to, errno);
  sync_folder(folder_of(to));
}

void sync_folder(const std::string& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) fail("cannot open the folder", folder, errno);
  const OpenFile closer(descriptor);
  // Some network and FUSE file systems cannot sync a folder; then there is nothing more to be done.
  if (fsync(descriptor) != 0 && errno != EINVAL && errno != ENOTSUP && errno != EBADF) {
    fail("cannot make durable", folder, errno);
  }
}

}  // namespace diskproof
