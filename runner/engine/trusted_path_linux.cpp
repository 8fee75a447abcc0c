// POSIX permissions: nothing on the path may be writable by everybody or by a foreign group, except a sticky folder (as
// /tmp is) further up: there nobody can replace what is another's, but right above the file anybody could add one.
#include <cerrno>
#include <fmt/core.h>
#include <set>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "engine/trusted_path.hpp"
#include "support/error.hpp"
#include "support/system_text.hpp"

namespace diskproof {

namespace fs = std::filesystem;

namespace {

bool may_write_by_group(const struct stat& status) { return (status.st_mode & S_IWGRP) != 0; }

// Who can change the program can do whatever its engines can: its owner, and the groups that may write it or a folder
// on the way to it, as group staff below /usr/local.
struct Trust {
  uid_t owner = 0;
  std::set<gid_t> groups{0, getegid()};
};

Trust who_can_change_this_program() {
  Trust trust;
  if (struct stat program{}; stat("/proc/self/exe", &program) == 0) trust.owner = program.st_uid;
  for (fs::path part = executable_path();; part = part.parent_path()) {
    struct stat status {};
    if (stat(part.c_str(), &status) != 0) return trust;
    if (may_write_by_group(status)) trust.groups.insert(status.st_gid);
    if (part == part.root_path()) return trust;
  }
}

// Who else may write this part of the path; empty: nobody.
std::string writers_of(const fs::path& part, const struct stat& status, const Trust& trust) {
  if ((status.st_mode & S_IWOTH) != 0)
    return fmt::format("{} is writable by everybody (chmod o-w {})", part.string(), part.string());
  if (may_write_by_group(status) && !trust.groups.contains(status.st_gid))
    return fmt::format("{} is writable by the group {}, which is neither yours nor root's (chmod g-w {})",
                       part.string(), status.st_gid, part.string());
  return {};
}

}  // namespace

std::string distrust(const fs::path& file) {
  std::error_code failure;
  const fs::path real = fs::canonical(file, failure);
  if (failure) return {};
  const Trust trust = who_can_change_this_program();
  for (fs::path part = real;; part = part.parent_path()) {
    struct stat status {};
    if (stat(part.c_str(), &status) != 0)
      return fmt::format("{} cannot be examined: {}", part.string(), system_text(errno));
    const bool is_sticky_above = part != real && part != real.parent_path() && (status.st_mode & S_ISVTX) != 0;
    if (std::string writers = writers_of(part, status, trust); !writers.empty() && !is_sticky_above) return writers;
    if (status.st_uid != 0 && status.st_uid != geteuid() && status.st_uid != trust.owner)
      return fmt::format("{} belongs to another user, who could change it (uid {})", part.string(), status.st_uid);
    if (part == part.root_path()) return {};
  }
}

fs::path executable_path() {
  std::error_code failure;
  fs::path path = fs::read_symlink("/proc/self/exe", failure);
  if (failure)
    throw Error(ErrorKind::failed,
                fmt::format("cannot find this program's own path in /proc/self/exe: {}", failure.message()));
  return path;
}

}  // namespace diskproof
