// Reports are whole or not there, and a place that cannot be written is known before the run.
#include "support/atomic_file.hpp"

#include <doctest/doctest.h>

#include "report/writer.hpp"
#include "unit/report/atomic_file_bench.hpp"

namespace diskproof::testing {
namespace {

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

TEST_CASE("atomic file: a place that cannot be written is refused at once - with the reason") {
  const Folder folder;
  fs::create_directory(folder / "folder");
  write_file(folder / "file", "");
  check_refused({{"no such folder", folder / "none/junit.xml", ""},
                 {"a file for a folder", folder / "file/junit.xml", ""},
                 {"a folder", folder / "folder", "not a regular file"},
                 {"a folder with a slash", folder / "folder/", "it names a folder"}});
  CHECK(folder.entries() == 2);
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
