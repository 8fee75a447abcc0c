// Temporary file, fsync, rename, fsync of the folder. A lock tells a living temporary file from a leftover one.
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "support/atomic_file.hpp"
#include "support/error.hpp"
#include "support/system_text.hpp"

namespace diskproof {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& target, const std::string& why, const std::string& advice) {
  throw Error(ErrorKind::failed, fmt::format("cannot write {}: {}; {}", target.string(), why, advice));
}

[[noreturn]] void fail_with_errno(const fs::path& target, const std::string& what, int error) {
  fail(target, fmt::format("{}: {}", what, system_text(error)),
       error == ENOSPC || error == EDQUOT ? "free some space or name another place"
                                          : "name a folder that exists and can be written to");
}

fs::path folder_of(const fs::path& target) { return target.has_parent_path() ? target.parent_path() : fs::path("."); }

std::string temporary_prefix(const fs::path& target) { return "." + target.filename().string() + ".diskproof-"; }

void check_target(const fs::path& target) {
  if (!target.has_filename()) fail(target, "it names a folder", "name a file");
  struct stat found {};
  if (::lstat(target.c_str(), &found) != 0) return;  // not there yet, or opening beside it will say why not
  if (!S_ISREG(found.st_mode)) fail(target, "it is there and is not a regular file", "name a regular or a new file");
}

// A leftover is one that nobody holds the lock of.
void remove_leftovers(const fs::path& target) {
  std::error_code ignored;
  const std::string prefix = temporary_prefix(target);
  for (auto entry = fs::directory_iterator(folder_of(target), ignored); entry != fs::directory_iterator();
       entry.increment(ignored)) {
    if (ignored) return;
    if (!entry->path().filename().string().starts_with(prefix)) continue;
    const int descriptor = ::open(entry->path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) continue;
    struct stat found {};
    const bool regular = ::fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode);
    if (regular && ::flock(descriptor, LOCK_EX | LOCK_NB) == 0) ::unlink(entry->path().c_str());
    ::close(descriptor);
  }
}

int descriptor(std::intptr_t handle) { return static_cast<int>(handle); }

int write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written < 0 ? errno : EIO;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

// The new name must outlive a power loss too. Some network file systems cannot sync a folder; that is no error.
void sync_folder(const fs::path& folder) noexcept {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

AtomicFile::AtomicFile(fs::path target) : target_(std::move(target)) {
  check_target(target_);
  remove_leftovers(target_);
  open_temporary();
}

AtomicFile::~AtomicFile() { discard(); }

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : target_(std::move(other.target_)),
      temporary_(std::move(other.temporary_)),
      handle_(std::exchange(other.handle_, -1)) {}

void AtomicFile::open_temporary() {
  constexpr int kAttempts = 100;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    temporary_ = folder_of(target_) / fmt::format("{}{}-{}", temporary_prefix(target_), ::getpid(), attempt);
    handle_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (handle_ < 0 && errno == EEXIST) continue;
    if (handle_ < 0) fail_with_errno(target_, "creating a file in " + folder_of(target_).string(), errno);
    const int lock = ::flock(descriptor(handle_), LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
    if (lock == ENOLCK || lock == EOPNOTSUPP || lock == ENOSYS)
      return;  // no locks here: nobody takes it for a leftover
    // Between open and lock another process may have removed it as a leftover: then it has no name any more.
    struct stat found {};
    if (lock == 0 && ::fstat(descriptor(handle_), &found) == 0 && found.st_nlink > 0) return;
    ::close(descriptor(std::exchange(handle_, -1)));
  }
  fail(target_, "no temporary file could be created beside it", "try again");
}

void AtomicFile::discard() noexcept {
  if (handle_ < 0) return;
  ::unlink(temporary_.c_str());
  ::close(descriptor(std::exchange(handle_, -1)));
}

void AtomicFile::replace(std::string_view content) {
  append(content);
  commit();
}

void AtomicFile::append(std::string_view piece) {
  if (handle_ < 0) open_temporary();
  if (const int error = write_all(descriptor(handle_), piece); error != 0) {
    discard();
    fail_with_errno(target_, "writing", error);
  }
}

void AtomicFile::commit() {
  if (handle_ < 0) open_temporary();
  if (::fsync(descriptor(handle_)) != 0) {
    const int error = errno;
    discard();
    fail_with_errno(target_, "writing", error);
  }
  check_target(target_);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
    const int error = errno;
    discard();
    fail_with_errno(target_, "putting it in place", error);
  }
  ::close(descriptor(std::exchange(handle_, -1)));
  sync_folder(folder_of(target_));
}

}  // namespace diskproof
