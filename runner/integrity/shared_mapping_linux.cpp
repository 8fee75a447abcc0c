// Mappings by mmap. Space is reserved first: touching the memory of a full file system would be a signal.
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "integrity/shared_mapping.hpp"
#include "support/error.hpp"
#include "support/system_text.hpp"

namespace diskproof {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& what, int code) {
  throw Error(ErrorKind::unavailable, fmt::format("{} {}: {}", what, path, system_text(code)));
}

struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

// The size of the file, once it is what `mode` wants.
std::uint64_t prepared_size(int file, const std::string& path, SharedMapping::Mode mode, std::uint64_t size) {
  struct stat status {};
  if (::fstat(file, &status) != 0) fail(path, "looking at", errno);
  if (!S_ISREG(status.st_mode)) throw Error(ErrorKind::unavailable, "mapping " + path + ": it is no regular file");
  const auto present = static_cast<std::uint64_t>(status.st_size);
  if (mode == SharedMapping::Mode::make) {
    if (present != 0 && present != size) {
      throw Error(ErrorKind::unavailable,
                  fmt::format("mapping {}: it has {} bytes instead of {}", path, present, size));
    }
    const int code = ::posix_fallocate(file, 0, static_cast<off_t>(size));
    if (code == 0) return size;
    if (present == 0) ::unlink(path.c_str());  // a part of it would fill the disk, and is no map
    fail(path, fmt::format("reserving {} bytes for", size), code);
  }
  if (present == 0) throw Error(ErrorKind::unavailable, "mapping " + path + ": it is empty");
  return present;
}

}  // namespace

SharedMapping::SharedMapping(const std::string& path, Mode mode, std::uint64_t size) {
  const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (mode == Mode::make ? O_CREAT : 0);
  const Descriptor file{::open(path.c_str(), flags, 0600)};
  if (file.number < 0) fail(path, "opening", errno);
  size_ = prepared_size(file.number, path, mode, size);
  void* const mapped = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file.number, 0);
  if (mapped == MAP_FAILED) fail(path, fmt::format("mapping {} bytes of", size_), errno);
  data_ = static_cast<std::byte*>(mapped);
}

SharedMapping::~SharedMapping() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

SharedMapping::SharedMapping(SharedMapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}

}  // namespace diskproof
