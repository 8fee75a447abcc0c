// LOOP_CONFIGURE attaches device, size and tag in one step, so that no kill comes between.
#include "target/loop_device_linux.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <system_error>
#include <unistd.h>

#include "support/clock.hpp"
#include "support/error.hpp"
#include "support/system_text.hpp"

namespace diskproof {
namespace {

constexpr int kTries = 50;
constexpr std::uint64_t kPatience = 5'000'000'000;  // ns for the last user to let go

class Descriptor {
 public:
  Descriptor(const std::string& path, int flags) : fd_(open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW)) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const noexcept { return fd_; }

 private:
  int fd_;
};

ErrorKind kind_of(int code) {
  return code == EPERM || code == EACCES || code == ENOENT || code == ENODEV || code == ENXIO ? ErrorKind::unavailable
                                                                                              : ErrorKind::failed;
}

[[noreturn]] void fail(const std::string& what, int code) {
  const bool right = code == EPERM || code == EACCES;
  throw Error(kind_of(code),
              fmt::format("{}: {}{}", what, system_text(code), right ? "; loop devices take root's rights" : ""));
}

loop_config configuration(int image, std::uint64_t size, const std::string& tag, std::uint32_t flags) {
  loop_config config{};
  config.fd = static_cast<__u32>(image);
  config.info.lo_sizelimit = size;
  config.info.lo_flags = flags;
  std::strncpy(reinterpret_cast<char*>(config.info.lo_file_name), tag.c_str(), LO_NAME_SIZE - 1);
  return config;
}

std::string tag_of(loop_info64& info) {
  info.lo_file_name[LO_NAME_SIZE - 1] = 0;
  return reinterpret_cast<const char*>(info.lo_file_name);
}

std::string backing_file(const std::string& name) {
  std::ifstream file("/sys/block/" + name + "/loop/backing_file");
  std::string path;
  std::getline(file, path);
  return path;
}

// Asking a loop device may hang with the file system of its image, so that only those of an image of this name are
// asked, and where that fails, the image itself tells.
bool is_attached(int loop, const std::string& name, const std::string& tag, const std::string& image) {
  const std::string backing = backing_file(name);
  if (std::filesystem::path(backing).filename() != std::filesystem::path(image).filename()) return false;
  loop_info64 info{};
  if (ioctl(loop, LOOP_GET_STATUS64, &info) == 0) return tag_of(info) == tag;
  return errno != ENXIO && backing == image;
}

// While somebody has it open the kernel only notes that it is to be detached; then it is waited for.
void detach(const std::string& name, int loop, const std::string& tag, const std::string& image) {
  const std::uint64_t end = monotonic_ns() + kPatience;
  while (is_attached(loop, name, tag, image)) {
    if (ioctl(loop, LOOP_CLR_FD, 0) != 0 && errno == ENXIO) return;
    if (!is_attached(loop, name, tag, image)) return;
    if (monotonic_ns() >= end) {
      throw Error(ErrorKind::failed, "/dev/" + name + " is still in use; end what uses it and run `diskproof cleanup`");
    }
    usleep(20'000);
  }
}

}  // namespace

// A long name ends in its FNV-1a hash.
std::string loop_tag(const std::string& run_id, const std::string& disk) {
  const std::string whole = "diskproof " + run_id + " " + disk;
  if (whole.size() < LO_NAME_SIZE) return whole;
  std::uint32_t hash = 0x811c9dc5;
  for (const char c : whole) hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193;
  return fmt::format("{}~{:08x}", whole.substr(0, LO_NAME_SIZE - 10), hash);
}

LoopDevice attach_loop(const std::string& image, std::uint64_t size, const std::string& tag) {
  const Descriptor control("/dev/loop-control", O_RDWR);
  if (control.get() < 0) fail("opening /dev/loop-control", errno);
  const Descriptor file(image, O_RDWR);
  if (file.get() < 0) fail("opening the image " + image, errno);
  for (int tries = 0; tries < kTries; ++tries) {
    const int number = ioctl(control.get(), LOOP_CTL_GET_FREE);
    if (number < 0) fail("asking for a free loop device", errno);
    LoopDevice device{.path = fmt::format("/dev/loop{}", number)};
    const Descriptor loop(device.path, O_RDWR);
    if (loop.get() < 0) fail("opening " + device.path, errno);
    for (const std::uint32_t flags : {static_cast<std::uint32_t>(LO_FLAGS_DIRECT_IO), 0u}) {
      loop_config config = configuration(file.get(), size, tag, flags);
      if (ioctl(loop.get(), LOOP_CONFIGURE, &config) == 0) {
        loop_info64 info{};
        device.direct = ioctl(loop.get(), LOOP_GET_STATUS64, &info) == 0 && (info.lo_flags & LO_FLAGS_DIRECT_IO) != 0;
        return device;
      }
      if (errno != EINVAL) break;  // the file system of the image has no direct I/O
    }
    if (errno != EBUSY) fail(fmt::format("attaching {} to {}", image, device.path), errno);
  }
  throw Error(ErrorKind::failed, "attaching " + image + ": other programs took every free loop device first");
}

bool detach_loops(const std::string& tag, const std::string& image) {
  bool found = false;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/sys/block", ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("loop") || !std::filesystem::exists(entry.path() / "loop", ignored)) continue;
    const Descriptor loop("/dev/" + name, O_RDONLY);
    if (loop.get() < 0 || !is_attached(loop.get(), name, tag, image)) continue;
    found = true;
    detach(name, loop.get(), tag, image);
  }
  return found;
}

}  // namespace diskproof
