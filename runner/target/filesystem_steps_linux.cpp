// mkfs and mount as programs, the rest by system calls.
#include "target/filesystem_steps_linux.hpp"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <linux/fs.h>
#include <pwd.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/clock.hpp"
#include "support/error.hpp"
#include "support/path_text.hpp"
#include "support/system_text.hpp"
#include "support/units.hpp"
#include "target/tool.hpp"

namespace diskproof {
namespace {

constexpr double kMakeTimeout = 3600, kMountTimeout = 120;  // s
constexpr std::uint64_t kUnmountPatience = 5'000'000'000;   // ns

dev_t device_of(const std::string& path) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) {
    throw Error(ErrorKind::failed, fmt::format("looking at {}: {}", path, system_text(errno)));
  }
  return status.st_dev;
}

// The mount point itself, and nothing below a mount that is not there.
class MountedRoot {
 public:
  explicit MountedRoot(const std::string& path) : fd_(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (fd_ < 0) throw Error(ErrorKind::failed, fmt::format("opening {}: {}", path, system_text(errno)));
    if (is_mount_point(path)) return;
    close(fd_);
    throw Error(ErrorKind::failed, path + " has no file system mounted on it");
  }
  ~MountedRoot() { close(fd_); }
  MountedRoot(const MountedRoot&) = delete;
  MountedRoot& operator=(const MountedRoot&) = delete;
  [[nodiscard]] int get() const noexcept { return fd_; }

 private:
  int fd_;
};

bool is_number(const std::string& text) {
  return !text.empty() && text.size() <= 10 && text.find_first_not_of("0123456789") == std::string::npos;
}

uid_t user_id(const std::string& name) {
  if (const passwd* user = getpwnam(name.c_str())) return user->pw_uid;
  if (is_number(name)) return static_cast<uid_t>(std::stoul(name));
  throw Error(ErrorKind::unavailable, fmt::format("there is no user '{}' on this machine", name));
}

gid_t group_id(const std::string& name) {
  if (const group* found = getgrnam(name.c_str())) return found->gr_gid;
  if (is_number(name)) return static_cast<gid_t>(std::stoul(name));
  throw Error(ErrorKind::unavailable, fmt::format("there is no group '{}' on this machine", name));
}

}  // namespace

std::string wipe_signatures(const std::string& device, const StopAsked& stopped) {
  return run_tool({.argv = {"wipefs", "--all", device}, .timeout = kMountTimeout, .stopped = stopped});
}

std::string make_filesystem(const Filesystem& filesystem, const std::string& device, const StopAsked& stopped) {
  const bool label_is_small = filesystem.type == "f2fs";
  ToolRun run{.argv = {"mkfs." + filesystem.type}, .timeout = kMakeTimeout, .stopped = stopped};
  run.argv.emplace_back(filesystem.type == "ext4" ? "-F" : "-f");  // nobody is there to be asked
  if (!filesystem.label.empty()) {
    run.argv.emplace_back(label_is_small ? "-l" : "-L");
    run.argv.push_back(filesystem.label);
  }
  run.argv.insert(run.argv.end(), filesystem.mkfs_args.begin(), filesystem.mkfs_args.end());
  run.argv.push_back(device);
  return run_tool(run);
}

std::string mount_at(const std::string& source, const std::string& type, const std::vector<std::string>& options,
                     const std::string& mount_point, const StopAsked& stopped) {
  if (geteuid() != 0) throw Error(ErrorKind::unavailable, "mounting takes root's rights; run as root");
  const dev_t before = device_of(mount_point);
  ToolRun run{.argv = {"mount", "-t", type}, .timeout = kMountTimeout, .stopped = stopped};
  std::string list;
  for (const std::string& option : options) list += (list.empty() ? "" : ",") + option;
  if (!list.empty()) run.argv.insert(run.argv.end(), {"-o", list});
  run.argv.insert(run.argv.end(), {source, mount_point});
  std::string said = run_tool(run);
  if (device_of(mount_point) != before) return said;
  throw Error(ErrorKind::failed,
              fmt::format("mount said nothing, but {} is still on the device that it was on before", mount_point));
}

bool is_mount_point(const std::string& path) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return false;
  return status.st_dev != device_of(folder_of(path));
}

void unmount(const std::string& mount_point) {
  const std::uint64_t end = monotonic_ns() + kUnmountPatience;
  // Until nothing is mounted there, which only umount tells for sure: what lies over it may be of the folder's own
  // device.
  for (;;) {
    if (umount2(mount_point.c_str(), UMOUNT_NOFOLLOW) == 0) continue;
    const int code = errno;
    if (code == EINVAL || code == ENOENT) return;
    if (code != EBUSY || monotonic_ns() >= end) {
      const char* const hint = code == EBUSY ? "; end what uses it and run `diskproof cleanup`" : "";
      throw Error(ErrorKind::failed, fmt::format("unmounting {}: {}{}", mount_point, system_text(code), hint));
    }
    usleep(50'000);
  }
}

std::string trim_filesystem(const std::string& mount_point) {
  const MountedRoot root(mount_point);
  fstrim_range range{};
  range.len = ~std::uint64_t{0};
  if (ioctl(root.get(), FITRIM, &range) != 0) {
    throw Error(ErrorKind::failed, fmt::format("trimming {}: {}", mount_point, system_text(errno)));
  }
  return "trimmed " + format_bytes(range.len) + "\n";
}

void set_owner(const std::string& mount_point, const std::string& owner) {
  const auto colon = owner.find(':');
  const uid_t user = user_id(owner.substr(0, colon));
  const bool has_group = colon != std::string::npos && colon + 1 < owner.size();
  const gid_t group = has_group ? group_id(owner.substr(colon + 1)) : static_cast<gid_t>(-1);
  const MountedRoot root(mount_point);
  if (fchown(root.get(), user, group) == 0) return;
  throw Error(ErrorKind::failed, fmt::format("giving {} to {}: {}", mount_point, owner, system_text(errno)));
}

void set_mode(const std::string& mount_point, const std::string& mode) {
  const MountedRoot root(mount_point);
  if (fchmod(root.get(), static_cast<mode_t>(std::stoul(mode, nullptr, 8))) == 0) return;
  throw Error(ErrorKind::failed, fmt::format("setting the mode of {}: {}", mount_point, system_text(errno)));
}

}  // namespace diskproof
