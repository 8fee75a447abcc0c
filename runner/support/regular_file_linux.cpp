// Opening without waiting: O_NONBLOCK matters for what is refused next only.
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/error.hpp"
#include "support/regular_file.hpp"
#include "support/system_text.hpp"

namespace diskproof {

namespace {

[[noreturn]] void fail_file(const char* what, const std::string& path, const std::string& why) {
  throw Error(ErrorKind::unavailable, fmt::format("{} {}: {}", what, path, why));
}

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "it is a folder, not a file";
  if (S_ISFIFO(mode)) return "it is a FIFO, not a file";
  return "it is a device, not a file";
}

}  // namespace

RegularFile::RegularFile(const std::string& path)
    : path_(path), handle_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
  if (handle_ < 0) fail_file("opening", path, errno == ENXIO ? "it is a socket, not a file" : system_text(errno));
  struct stat status {};
  const int code = ::fstat(static_cast<int>(handle_), &status) == 0 ? 0 : errno;
  if (code == 0 && S_ISREG(status.st_mode)) {
    size_ = static_cast<std::uint64_t>(status.st_size);
    return;
  }
  ::close(static_cast<int>(handle_));
  fail_file("opening", path, code == 0 ? kind_of(status.st_mode) : system_text(code));
}

RegularFile::~RegularFile() { ::close(static_cast<int>(handle_)); }

std::size_t RegularFile::read(char* into, std::size_t most) {
  std::size_t had = 0;
  while (had < most) {
    const ssize_t got = ::read(static_cast<int>(handle_), into + had, most - had);
    if (got == 0) break;
    if (got < 0 && errno != EINTR) fail_file("reading", path_, system_text(errno));
    had += got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  return had;
}

}  // namespace diskproof
