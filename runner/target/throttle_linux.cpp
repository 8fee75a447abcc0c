// A group is a folder, and its settings are files in it: which ones tells v1 from v2.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string_view>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "plan/planner.hpp"
#include "support/error.hpp"
#include "target/io_controller_linux.hpp"
#include "target/throttle.hpp"

namespace diskproof {
namespace {

constexpr std::chrono::milliseconds kEmptyPatience{2'000};  // for processes that were just ended
constexpr std::chrono::milliseconds kLook{10};
constexpr std::uint64_t kMostIops = std::numeric_limits<std::uint32_t>::max();  // what the kernel keeps of a number

[[noreturn]] void fail(const std::string& what, int code) {
  const bool right = code == EACCES || code == EPERM || code == EROFS;
  throw Error(right ? ErrorKind::unavailable : ErrorKind::failed,
              "throttle: " + what + ": " + std::strerror(code) +
                  (right ? "; run as root, or have a cgroup with the I/O controller delegated to you" : ""));
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

// Settings take effect, or are refused, by one write call each.
void write_limit(const std::string& path, const std::string& text, const std::string& purpose) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) fail(fmt::format("cannot open {} to {}", path, purpose), errno);
  const ssize_t written = ::write(file, text.data(), text.size());
  const int code = errno;
  ::close(file);
  if (written < 0) fail(fmt::format("cannot {} by writing '{}' to {}", purpose, text, path), code);
}

std::string v1_setting(const std::string& group, std::string_view name) {
  return fmt::format("{}/blkio.throttle.{}_device", group, name);
}

void set_v1(const std::string& group, const std::string& device, const ThrottleLimits& limits) {
  for (const auto& [name, value] :
       {std::pair{"read_iops", limits.read_iops}, std::pair{"write_iops", limits.write_iops},
        std::pair{"read_bps", limits.read_bandwidth}, std::pair{"write_bps", limits.write_bandwidth}}) {
    if (value) write_limit(v1_setting(group, name), fmt::format("{} {}", device, *value), "limit the disk");
  }
}

void set_v2(const std::string& group, const std::string& device, const ThrottleLimits& limits) {
  std::string text = device;
  for (const auto& [name, value] :
       {std::pair{"riops", limits.read_iops}, std::pair{"wiops", limits.write_iops},
        std::pair{"rbps", limits.read_bandwidth}, std::pair{"wbps", limits.write_bandwidth}}) {
    if (value) text += fmt::format(" {}={}", name, *value);
  }
  write_limit(group + "/io.max", text, "limit the disk");
}

// Of "7:0 Read 12", "7:0 Write 5".
ThrottleCounts counts_v1(const std::string& text, const std::string& device) {
  ThrottleCounts counts;
  std::istringstream words(text);
  std::uint64_t number = 0;
  for (std::string line, of, kind; std::getline(words, line);) {
    std::istringstream fields(line);
    if (!(fields >> of >> kind >> number) || of != device) continue;
    if (kind == "Read") counts.reads = number;
    if (kind == "Write") counts.writes = number;
  }
  return counts;
}

// Of "7:0 rbytes=4096 wbytes=0 rios=1 wios=0 dbytes=0 dios=0".
ThrottleCounts counts_v2(const std::string& text, const std::string& device) {
  ThrottleCounts counts;
  std::istringstream lines(text);
  for (std::string line, word; std::getline(lines, line);) {
    std::istringstream words(line);
    if (!(words >> word) || word != device) continue;
    while (words >> word) {
      if (word.starts_with("rios=")) counts.reads = std::strtoull(word.c_str() + 5, nullptr, 10);
      if (word.starts_with("wios=")) counts.writes = std::strtoull(word.c_str() + 5, nullptr, 10);
    }
  }
  return counts;
}

ThrottleLimits within_kernel(ThrottleLimits limits) {
  for (auto* iops : {&limits.read_iops, &limits.write_iops}) {
    if (*iops) *iops = std::min(**iops, kMostIops);
  }
  return limits;
}

}  // namespace

std::string throttle_group_path(const std::string& run_id, const std::string& disk) {
  return parent_of_throttles(text_of("/proc/self/mountinfo"), text_of("/proc/self/cgroup")) + "/diskproof-" + run_id +
         "-" + file_word(disk);
}

void make_throttle(const std::string& path, unsigned major, unsigned minor, const ThrottleLimits& limits) {
  if (::mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) fail("cannot make the cgroup " + path, errno);
  try {
    const std::string device = disk_to_limit(major, minor, "/sys");
    if (exists(path + "/io.max")) {
      set_v2(path, device, within_kernel(limits));
    } else if (exists(v1_setting(path, "read_iops"))) {
      set_v1(path, device, within_kernel(limits));
    } else {
      throw Error(ErrorKind::unavailable, "throttle: the cgroup " + path +
                                              " cannot limit disks: the kernel was built without "
                                              "CONFIG_BLK_DEV_THROTTLING; leave `throttle` out");
    }
  } catch (...) {
    ::rmdir(path.c_str());
    throw;
  }
}

void enter_throttle(const std::string& path, std::int64_t pid) {
  write_limit(path + "/cgroup.procs", std::to_string(pid), "move a process into it");
}

ThrottleCounts throttle_counts(const std::string& path, unsigned major, unsigned minor) {
  const std::string device = disk_to_limit(major, minor, "/sys");
  if (exists(path + "/io.stat")) return counts_v2(text_of(path + "/io.stat"), device);
  return counts_v1(text_of(path + "/blkio.throttle.io_serviced"), device);
}

void remove_throttle(const std::string& path) {
  const auto patience = std::chrono::steady_clock::now() + kEmptyPatience;
  while (::rmdir(path.c_str()) != 0 && errno != ENOENT) {
    const int code = errno;
    if (code != EBUSY) fail("cannot remove the cgroup " + path, code);
    if (std::chrono::steady_clock::now() >= patience) {
      std::istringstream members(text_of(path + "/cgroup.procs"));
      std::string first;
      members >> first;
      fail(fmt::format("cannot remove the cgroup {}: process {} is still in it", path, first), code);
    }
    std::this_thread::sleep_for(kLook);
  }
}

}  // namespace diskproof
