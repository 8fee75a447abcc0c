// POSIX permissions: nothing on the path may be writable by everybody, except a sticky folder (as /tmp is) further up:
// there nobody can replace what is another's, but right above the file anybody could add one.
#include <fmt/core.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "engine/trusted_path.hpp"
#include "support/error.hpp"

namespace diskproof {

namespace fs = std::filesystem;

namespace {

// Who can change the program can do whatever its engines can.
uid_t owner_of_this_program() {
  struct stat status {};
  return stat("/proc/self/exe", &status) == 0 ? status.st_uid : 0;
}

}  // namespace

std::string distrust(const fs::path& file) {
  std::error_code failure;
  const fs::path real = fs::canonical(file, failure);
  if (failure) return {};
  for (fs::path part = real;; part = part.parent_path()) {
    const fs::perms allowed = fs::status(part, failure).permissions();
    if (failure) return fmt::format("{} cannot be examined: {}", part.string(), failure.message());
    const bool writable = (allowed & fs::perms::others_write) != fs::perms::none;
    const bool shared_folder =
        part != real && part != real.parent_path() && (allowed & fs::perms::sticky_bit) != fs::perms::none;
    if (writable && !shared_folder)
      return fmt::format("{} is writable by everybody (chmod o-w {})", part.string(), part.string());
    struct stat status {};
    if (stat(part.c_str(), &status) != 0) return fmt::format("{} cannot be examined", part.string());
    if (status.st_uid != 0 && status.st_uid != geteuid() && status.st_uid != owner_of_this_program())
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
