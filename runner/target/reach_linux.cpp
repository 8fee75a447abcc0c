// Each look is a process of its own (run_apart_linux.hpp).
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "support/clock.hpp"
#include "support/path_text.hpp"
#include "target/reach.hpp"
#include "target/run_apart_linux.hpp"

namespace diskproof {
namespace {

// Asks the server, too, where a client would answer from what it remembers.
std::string nearest(std::string path) {
  struct statx found {};
  while (statx(AT_FDCWD, path.c_str(), AT_STATX_FORCE_SYNC, STATX_TYPE, &found) != 0 && errno == ENOENT) {
    const std::string folder = folder_of(path);
    if (folder == path) break;
    path = folder;
  }
  return path;
}

std::string look(const std::string& path) {
  struct statfs found {};
  statfs(nearest(path).c_str(), &found);
  return {};
}

int nameless_file(const std::string& folder) {
  const int unnamed = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (unnamed >= 0 || errno == EACCES || errno == EROFS) return unnamed;
  const std::string name = fmt::format("{}/.diskproof-look-{}", folder, getpid());
  const int named = open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (named >= 0) unlink(name.c_str());
  return named;
}

std::string write_in(const std::string& folder) {
  const int file = nameless_file(nearest(folder));
  if (file < 0) return {};
  if (write(file, "", 1) == 1) fsync(file);
  close(file);
  return {};
}

}  // namespace

std::set<std::string> silent_paths(const std::vector<std::string>& paths, std::uint64_t patience) {
  std::vector<std::unique_ptr<ApartTask>> looks;
  for (const std::string& path : paths) looks.push_back(std::make_unique<ApartTask>([&path] { return look(path); }));
  const std::uint64_t end = monotonic_ns() + patience;
  std::set<std::string> silent;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (looks[i]->finish(end).end == Apart::hangs) silent.insert(paths[i]);
  }
  return silent;
}

bool takes_write(const std::string& folder, std::uint64_t patience) {
  return run_apart([&folder] { return write_in(folder); }, patience).end != Apart::hangs;
}

}  // namespace diskproof
