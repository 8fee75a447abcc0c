// The undo journal: what is on disk at each moment, and what is made of a damaged one.
#include "target/journal.hpp"

#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>

#include "disk_samples.hpp"
#include "support/error.hpp"

namespace diskproof {
namespace {

UndoStep step(const std::string& path) {
  return {.kind = UndoKind::remove_file,
          .disk = "data",
          .path = path,
          .keep = false,
          .size = 7,
          .folder = {},
          .identity = {}};
}

TEST_CASE("journal: steps are open from begin to finish, with the identity once it is known") {
  const TempFolder root;
  Journal journal(root.path(), sample_header());
  const auto first = journal.begin(step("/a \"quoted\"\n"));
  const auto second = journal.begin(step("/b"));
  CHECK(read_journal(journal.path()).open.size() == 2);
  CHECK_FALSE(read_journal(journal.path()).open[0].step.identity);
  journal.identify(first, {.device = 5, .inode = 6, .born = 8});
  journal.finish(second);
  const JournalContents contents = read_journal(journal.path());
  REQUIRE(contents.open.size() == 1);
  CHECK(contents.open[0].step.path == "/a \"quoted\"\n");
  CHECK(contents.open[0].step.identity == FileIdentity{.device = 5, .inode = 6, .born = 8});
  CHECK_FALSE(contents.open[0].step.identity == FileIdentity{.device = 5, .inode = 6, .born = 9});
  CHECK(contents.open[0].step.size == 7);
  CHECK(contents.open[0].step.folder == look_at("/").identity);
  CHECK(contents.header.run_id == "run-1");
  CHECK(contents.header.process == current_process());
}

TEST_CASE("journal: a line cut off by a crash does not count") {
  const TempFolder root;
  std::string folder;
  {
    Journal journal(root.path(), sample_header());
    folder = journal.folder();
    journal.begin(step("/a"));
  }
  std::ofstream(journal_path(folder), std::ios::app) << "{\"step\":2,\"kind\":\"remove_f";
  CHECK(read_journal(journal_path(folder)).open.size() == 1);
  Journal again(folder);  // goes on behind the last whole line
  again.finish(1);
  again.begin(step("/b"));
  const auto open = read_journal(journal_path(folder)).open;
  REQUIRE(open.size() == 1);
  CHECK(open[0].number == 2);
  CHECK(open[0].step.path == "/b");
}

TEST_CASE("journal: one that no run wrote is an error") {
  const TempFolder root;
  struct Row {
    const char* name;
    const char* tail;
  };
  for (const Row& row :
       {Row{"not JSON", "hello\n"},
        {"no step", "{}\n"},
        {"unknown kind", "{\"step\":1,\"kind\":\"format_disk\",\"disk\":\"d\",\"path\":\"/\",\"keep\":false}\n"},
        {"a step that did not begin", "{\"step\":9,\"over\":true}\n"},
        {"text for a number", "{\"step\":\"1\"}\n"}}) {
    CAPTURE(row.name);
    Journal journal(root.path(), sample_header(row.name));
    std::ofstream(journal.path(), std::ios::app) << row.tail;
    CHECK_THROWS_AS(read_journal(journal.path()), Error);
  }
  CHECK_THROWS_AS(read_journal(root.path("missing")), Error);
  CHECK_THROWS_AS(read_journal(root.write("empty", "")), Error);
}

TEST_CASE("journal: where it cannot be begun nothing is left, and it is said where it may be put") {
  const TempFolder root;
  const std::string file = root.write("file", "");
  CHECK_THROWS_WITH_AS(Journal(file, sample_header()), doctest::Contains(state_home_variable().c_str()), Error);
  const Journal first(root.path(), sample_header());
  CHECK_THROWS_WITH_AS(Journal(root.path(), sample_header()), doctest::Contains("to a folder that can be written"),
                       Error);
  CHECK(read_journal(first.path()).header.run_id == first.header().run_id);  // of another run, and left alone
}

TEST_CASE("journal: a process that runs is told from one that is gone") {
  ProcessIdentity process = current_process();
  CHECK(is_running(process));
  process.start_time += 1;
  CHECK_FALSE(is_running(process));
  process = current_process();
  process.boot_id = "another boot";
  CHECK_FALSE(is_running(process));
}

}  // namespace
}  // namespace diskproof
