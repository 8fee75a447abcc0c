// /sys/dev/block/M:N/queue and the discard ioctls.
#include "target/device_settings_linux.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <system_error>
#include <unistd.h>

#include "support/error.hpp"
#include "support/system_text.hpp"

namespace diskproof {
namespace {

std::string line_of(const std::string& file) {
  std::ifstream stream(file);
  std::string line;
  if (!std::getline(stream, line)) throw Error(ErrorKind::failed, fmt::format("reading {}: it cannot be read", file));
  return line;
}

}  // namespace

std::string setting_file(DeviceNumber device, const std::string& setting) {
  const std::filesystem::path folder = fmt::format("/sys/dev/block/{}", to_string(device));
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(folder, error);
  if (error) throw Error(ErrorKind::failed, fmt::format("looking at {}: {}", folder.string(), error.message()));
  const bool partition = std::filesystem::exists(real / "partition", error);
  return ((partition ? real.parent_path() : real) / "queue" / setting).string();
}

// A list of choices has the one in use in brackets.
std::string read_setting(const std::string& file) {
  const std::string line = line_of(file);
  const auto open = line.find('['), close = line.find(']');
  return open == std::string::npos || close == std::string::npos ? line : line.substr(open + 1, close - open - 1);
}

void write_setting(const std::string& file, const std::string& value) {
  const int fd = open(file.c_str(), O_WRONLY | O_CLOEXEC);
  const bool written = fd >= 0 && write(fd, value.data(), value.size()) == static_cast<ssize_t>(value.size());
  const int code = errno;
  if (fd >= 0) close(fd);
  if (written && read_setting(file) == value) return;
  const std::string why = written ? "the kernel took another value, " + read_setting(file) : system_text(code);
  throw Error(ErrorKind::failed, fmt::format("setting {} to '{}': {} (it is '{}')", file, value, why, line_of(file)));
}

std::uint64_t in_flight(DeviceNumber device) {
  std::ifstream file(fmt::format("/sys/dev/block/{}/inflight", to_string(device)));
  std::uint64_t reads = 0, writes = 0;
  file >> reads >> writes;
  return file ? reads + writes : 0;
}

void discard_device(int descriptor, std::uint64_t size, bool secure) {
  std::array<std::uint64_t, 2> range{0, size};
  if (ioctl(descriptor, secure ? BLKSECDISCARD : BLKDISCARD, range.data()) == 0) return;
  const int code = errno;
  const bool cannot = code == EOPNOTSUPP;
  throw Error(cannot ? ErrorKind::unavailable : ErrorKind::failed,
              fmt::format("{}discarding {} bytes: {}", secure ? "securely " : "", size,
                          cannot ? "the device has no such command; remove the step" : system_text(code)));
}

}  // namespace diskproof
