// Links, devices and modes.
#include <sys/stat.h>

#include "unit/report/atomic_file_bench.hpp"

namespace diskproof::testing {
namespace {

TEST_CASE("atomic file: a link, a device and a missing folder are refused at once - with the reason") {
  const Folder folder;
  fs::create_symlink(folder / "elsewhere", folder / "link");
  write_file(folder / "file", "");
  CHECK(error_of(folder / "link").find("not a regular file") != std::string::npos);
  CHECK(error_of("/dev/null").find("not a regular file") != std::string::npos);
  CHECK(error_of(folder / "none/junit.xml").find("No such file or directory") != std::string::npos);
  CHECK(error_of(folder / "file/junit.xml").find("Not a directory") != std::string::npos);
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

TEST_CASE("atomic file: a place that cannot be written is refused at once - with the reason") {
  const Folder folder;
  fs::create_directory(folder / "folder");
  fs::create_symlink(folder / "elsewhere", folder / "link");
  write_file(folder / "file", "");
  struct Row {
    const char* name;
    fs::path target;
    const char* reason;
  };
  const Row rows[] = {
      {"no such folder", folder / "none/junit.xml", "No such file or directory"},
      {"a file for a folder", folder / "file/junit.xml", "Not a directory"},
      {"a folder", folder / "folder", "not a regular file"},
      {"a folder with a slash", folder / "folder/", "it names a folder"},
      {"a link", folder / "link", "not a regular file"},
      {"a device", "/dev/null", "not a regular file"},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.name));
    const std::string error = error_of(row.target);
    CAPTURE(error);
    CHECK(error.starts_with("cannot write the report " + row.target.string() + ": "));
    CHECK(error.find(row.reason) != std::string::npos);
  }
  CHECK(folder.entries() == 3);
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
