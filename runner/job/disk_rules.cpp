// Rules of one disk: which keys belong to its kind, and what they may hold.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>

#include "job/job_validator.hpp"
#include "job/mkfs_rules.hpp"
#include "job/scalar_check.hpp"
#include "support/secrets.hpp"
#include "support/units.hpp"
#include "support/url_text.hpp"

namespace diskproof {
namespace {

// Words of mount that would do something else than mount this disk's file system here.
constexpr std::array<std::string_view, 15> kForeignMountWords{
    "bind",  "rbind",  "move",      "remount",     "loop",         "users",  "owner", "user",
    "group", "offset", "sizelimit", "journal_dev", "journal_path", "logdev", "rtdev"};

// What `mount` may be: what needs no disk of this machine. A disk has a guard, which asks for consent.
constexpr std::array<std::string_view, 14> kShareTypes{"nfs",    "nfs4",      "cifs",         "smb3", "ceph",
                                                       "lustre", "glusterfs", "9p",           "afs",  "gpfs",
                                                       "pvfs2",  "beegfs",    "beegfs_nodev", "tmpfs"};

bool is_share_type(std::string_view type) {
  return type.starts_with("fuse.") || std::ranges::find(kShareTypes, type) != kShareTypes.end();
}

class DiskRules {
 public:
  DiskRules(const Job& job, const Disk& disk, ParseContext& context)
      : job_(job), disk_(disk), path_(child_path("disks", disk.name)), context_(context) {}

  void check() {
    if (const std::string fault = name_fault(disk_.name); !fault.empty()) {
      context_.error(job_.source.find(path_), path_, "the disk's name " + fault);
    }
    check_limits();
    if (!disk_.subdirectory.empty()) check_subdirectory_path();
    if (context_.unusable.contains(child_path(path_, "kind"))) return;
    check_belonging();
    if (disk_.capacity && *disk_.capacity == 0) error(capacity_key(), "is zero", "give the disk a size");
    if (disk_.filesystem) check_filesystem(*disk_.filesystem);
    if (disk_.kind == DiskKind::mount) check_share();
    if (disk_.kind == DiskKind::url) check_url();
    for (std::size_t i = 0; i < disk_.prepare.size(); ++i) check_step(i);
    check_throttle();
  }

 private:
  void error(std::string_view key, std::string message, std::string hint) {
    const std::string path = child_path(path_, key);
    context_.error(job_.source.find(path), path, std::move(message), std::move(hint));
  }
  [[nodiscard]] bool given(std::string_view key) const {
    const std::string path = child_path(path_, key);
    return job_.source.has(path) && !context_.unusable.contains(path);
  }
  [[nodiscard]] std::string_view capacity_key() const {
    return disk_.kind == DiskKind::loop ? "loop.size" : "virtual.size";
  }

  void check_limits() {
    for (const auto& [key, value] : flat_limits(disk_.limits)) {
      if (value <= 0) error("limits." + key, "is zero", "leave it out where there is no limit");
    }
  }

  // Which keys go with which kinds of disks; a key that changes nothing would be a wish that nobody grants.
  void check_belonging() {
    using enum DiskKind;
    const auto only = [this](std::string_view key, std::initializer_list<DiskKind> kinds, const char* owners) {
      const bool belongs = std::find(kinds.begin(), kinds.end(), disk_.kind) != kinds.end();
      if (given(key) && !belongs) error(key, fmt::format("belongs to a {} disk", owners), "remove it");
    };
    only("identity", {device}, "device");
    only("destroy", {device}, "device");
    only("filesystem", {device, loop}, "device or loop");
    only("prepare", {device, loop}, "device or loop");
    only("throttle", {device, loop}, "device or loop");
    only("subdirectory", {directory, mount, url}, "directory, mount or URL");
    if (disk_.kind == virtual_disk) {
      for (const std::string_view key : {"fill", "keep", "overwrite"}) {
        if (given(key)) error(key, "has no meaning on a virtual disk, which has no files", "remove it");
      }
    }
    if (disk_.kind == device) {
      if (given("fill")) error("fill", "has no meaning on a device, which is used as a whole", "remove it");
      if (given("overwrite")) error("overwrite", "is about files", "a device's consent is `destroy: true`");
      if (given("keep")) error("keep", "is about files; what is written to a device stays anyway", "remove it");
    }
    if (disk_.kind == loop && disk_.filesystem && disk_.keep) {
      error("keep", "would keep files that the next run's new file system does not have", "remove it or `filesystem`");
    }
  }

  void check_subdirectory_path() {
    const std::string wrapped = "/" + disk_.subdirectory + "/";
    const bool drive =
        disk_.subdirectory.size() > 1 && disk_.subdirectory[1] == ':';  // on Windows it would lead elsewhere
    const bool climbs = wrapped.find("/../") != std::string::npos || disk_.subdirectory.find('\\') != std::string::npos;
    if (climbs || drive || disk_.subdirectory.front() == '/') {
      error("subdirectory", fmt::format("'{}' leaves the directory", disk_.subdirectory),
            "write a relative path without '..'");
    }
  }

  // Words of format.com; none that names another volume, takes one that is in use, or is given already.
  void check_format_word(const std::string& at, const std::string& text) {
    constexpr std::array<std::string_view, 6> kWords{"/A:", "/I:", "/L", "/P:", "/R:", "/D"};
    const bool known = std::ranges::any_of(kWords, [&](std::string_view word) { return text.starts_with(word); });
    if (known && text.find_first_of(" \"\\.", 1) == std::string::npos && text.find('/', 1) == std::string::npos) return;
    error(at, fmt::format("'{}' is none of the words that may be given to format", text), "write for example /A:64K");
  }

  void check_filesystem(const Filesystem& filesystem) {
    const bool of_windows = filesystem.type == "ntfs" || filesystem.type == "refs";
    if (of_windows && filesystem.label.find_first_of("\"/\\:*?<>|") != std::string::npos)
      error("filesystem.label", "holds a character that Windows takes in no label", {});
    for (std::size_t i = 0; of_windows && i < filesystem.mkfs_args.size(); ++i) {
      check_format_word(child_path("filesystem.mkfs_args", i), filesystem.mkfs_args[i]);
    }
    for (const MkfsFault& fault : mkfs_faults(filesystem.type, filesystem.mkfs_args)) {
      error(child_path("filesystem.mkfs_args", fault.index), fault.text,
            "mkfs is to make this file system, on this disk only; remove it");
    }
    if (of_windows && !filesystem.mount_options.empty())
      error("filesystem.mount_options", "have no meaning on Windows", "remove them");
    check_mount_options("filesystem.mount_options", filesystem.mount_options);
  }

  // Only what no engine may be given; the rest is the engine's to read.
  void check_url() {
    if (url_scheme(disk_.path).empty())
      return error("url", "is no URL", "write for example nfs://server/export/folder");
    if (holds_password(disk_.path))
      return error("url", "holds a password, which reports and logs would show", "remove it from the URL");
    if (disk_.path.find('#') != std::string::npos)
      error("url", "holds a '#', which no path on a server may have here", {});
  }

  void check_share() {
    check_mount_options("mount.options", disk_.share.options);
    for (const std::string_view text : {std::string_view(disk_.share.source), std::string_view(disk_.share.type)}) {
      if (text.starts_with('-')) error("mount", fmt::format("'{}' would be read as an option", text), {});
    }
    if (!is_share_type(disk_.share.type))
      error(
          "mount.type", fmt::format("'{}' is not the type of a share", disk_.share.type),
          fmt::format("one of {} or fuse.NAME; a disk or an image is mounted by `device` or `loop` with a `filesystem`",
                      fmt::join(kShareTypes, ", ")));
  }

  // Options may stand alone or several in a text, with commas between, as mount takes them.
  void check_mount_options(const std::string& key, const std::vector<std::string>& options) {
    for (std::size_t i = 0; i < options.size(); ++i) {
      const std::string at = child_path(key, i);
      std::string_view rest = options[i];
      if (rest.starts_with('-')) error(at, fmt::format("'{}' is not a mount option", rest), "write it without -o");
      while (!rest.empty()) {
        const auto comma = std::min(rest.find(','), rest.size());
        check_mount_word(at, rest.substr(0, comma));
        rest.remove_prefix(std::min(comma + 1, rest.size()));
      }
    }
  }

  void check_mount_word(const std::string& at, std::string_view word) {
    const std::string_view name = word.substr(0, word.find('='));
    if (std::ranges::find(kForeignMountWords, name) != kForeignMountWords.end() || name.starts_with("X-mount") ||
        word.starts_with("device=") || name.starts_with("x-")) {
      error(at, fmt::format("'{}' would mount something else than this disk", word), "remove it");
    }
    if (holds_secret(word)) {
      error(at, "holds a password, which everybody who sees the process list could read",
            "use a credentials file that the mount option names");
    }
  }

  void check_step(std::size_t index) {
    const PrepareStep& step = disk_.prepare[index];
    const std::string at = child_path("prepare", index);
    if (is_of_filesystem(step.kind) && !disk_.filesystem && (disk_.kind == DiskKind::device || is_raw(disk_))) {
      error(at, "is about a file system, and the disk has none", "remove it, or add `filesystem:`");
    }
    if (step.kind == PrepareKind::mode) check_mode(at, step.value);
    const bool empty = step.value.empty() || step.value.find_first_of("/ \n") != std::string::npos;
    if (step.kind == PrepareKind::scheduler && empty) error(at, "is not the name of a scheduler", "write mq-deadline");
    if (step.kind == PrepareKind::owner && (step.value.empty() || step.value.front() == ':')) {
      error(at, fmt::format("'{}' names no user", step.value), "write USER:GROUP");
    }
  }

  void check_mode(const std::string& at, const std::string& text) {
    const bool octal = !text.empty() && text.size() <= 5 && text.find_first_not_of("01234567") == std::string::npos;
    if (!octal || (text.size() == 5 && text.front() != '0')) {
      error(at, fmt::format("'{}' is not a mode of octal digits", text), "write \"0755\"");
    }
  }

  void check_throttle() {
    for (const auto& [key, value] : disk_.throttle.values) {
      if (value < 1) error("throttle." + key, "is less than 1 per second", "leave it out where there is no limit");
    }
  }

  const Job& job_;
  const Disk& disk_;
  const std::string path_;
  ParseContext& context_;
};

}  // namespace

void check_disk_rules(const Job& job, const Disk& disk, ParseContext& context) {
  DiskRules(job, disk, context).check();
}

}  // namespace diskproof
