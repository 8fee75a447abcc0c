// Links, devices and modes.
#include <sys/stat.h>

#include "unit/report/atomic_file_bench.hpp"

namespace diskproof::testing {
namespace {

TEST_CASE("atomic file: a link and a device are refused at once, and a missing folder in the system's words") {
  const Folder folder;
  fs::create_symlink(folder / "elsewhere", folder / "link");
  write_file(folder / "file", "");
  check_refused({{"a link", folder / "link", "not a regular file"},
                 {"a device", "/dev/null", "not a regular file"},
                 {"no such folder", folder / "none/junit.xml", "No such file or directory"},
                 {"a file for a folder", folder / "file/junit.xml", "Not a directory"}});
  CHECK(folder.entries() == 2);
}

TEST_CASE("atomic file: readable by others as far as the umask allows") {
  const Folder folder;
  const mode_t before = ::umask(022);
  AtomicFile(folder / "a").replace("x");
  ::umask(077);
  AtomicFile(folder / "b").replace("x");
  ::umask(before);
  CHECK(static_cast<unsigned>(fs::status(folder / "a").permissions()) == 0644U);
  CHECK(static_cast<unsigned>(fs::status(folder / "b").permissions()) == 0600U);
}

TEST_CASE("atomic file: a target that became something else is not replaced") {
  const Folder folder;
  const fs::path target = folder / "junit.xml";
  AtomicFile file(target);
  fs::create_symlink(folder / "elsewhere", target);
  CHECK_THROWS_AS(file.replace("x"), Error);
  CHECK(fs::is_symlink(target));
}

}  // namespace
}  // namespace diskproof::testing
