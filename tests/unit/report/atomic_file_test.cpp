// Reports are whole or not there, and a place that cannot be written is known before the run.
#include "report/atomic_file.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <fstream>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

#include "report/writer.hpp"
#include "support/error.hpp"

namespace diskproof::testing {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "diskproof-atomic-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] fs::path operator/(const char* name) const { return path_ / name; }
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

 private:
  fs::path path_;
};

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const fs::path& path, const std::string& content) { std::ofstream(path, std::ios::binary) << content; }

std::string error_of(const fs::path& target) {
  try {
    AtomicFile file(target);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::failed);
    return error.what();
  }
  return "";
}

TEST_CASE("atomic file: the target appears whole - is replaced as often as wanted - and nothing else stays") {
  const Folder folder;
  const fs::path target = folder / "junit.xml";
  {
    AtomicFile file(target);
    CHECK(!fs::exists(target));
    file.replace("one");
    CHECK(content_of(target) == "one");
    file.replace("two, longer");
    CHECK(content_of(target) == "two, longer");
    file.replace("");
    CHECK(content_of(target).empty());
    CHECK(folder.entries() == 1);
  }
  CHECK(folder.entries() == 1);
}

TEST_CASE("atomic file: one that is never written leaves the old target alone and no trace") {
  const Folder folder;
  const fs::path target = folder / "junit.xml";
  write_file(target, "old");
  { const AtomicFile file(target); }
  CHECK(content_of(target) == "old");
  CHECK(folder.entries() == 1);
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

TEST_CASE("atomic file: leftovers of dead processes go - those in use and other files stay") {
  const Folder folder;
  const AtomicFile other(folder / "junit.xml");
  write_file(folder / ".junit.xml.diskproof-1-0", "left over");
  write_file(folder / ".other.xml.diskproof-1-0", "of another target");
  write_file(folder / "junit.xml.bak", "mine");
  const AtomicFile file(folder / "junit.xml");
  CHECK(!fs::exists(folder / ".junit.xml.diskproof-1-0"));
  CHECK(fs::exists(folder / ".other.xml.diskproof-1-0"));
  CHECK(fs::exists(folder / "junit.xml.bak"));
  CHECK(folder.entries() == 4);  // with the two temporary files in use
}

TEST_CASE("atomic file: moving it moves the duty to clean up") {
  const Folder folder;
  {
    AtomicFile first(folder / "junit.xml");
    AtomicFile second(std::move(first));
    CHECK(folder.entries() == 1);
    second.replace("x");
  }
  CHECK(content_of(folder / "junit.xml") == "x");
  CHECK(folder.entries() == 1);
}

TEST_CASE("report file: writes what its format says of the report") {
  const Folder folder;
  ReportFile file(folder / "name.txt", [](const RunReport& report) { return report.plan.job_name + "\n"; });
  RunReport report;
  report.plan.job_name = "first";
  file.write(report);
  report.plan.job_name = "second";
  file.write(report);
  CHECK(content_of(file.path()) == "second\n");
}

}  // namespace
}  // namespace diskproof::testing
