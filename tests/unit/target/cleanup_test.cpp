// Runs that were killed at different moments.
#include "target/cleanup.hpp"

#include <doctest/doctest.h>
#include <filesystem>

#include "disk_samples.hpp"
#include "target/marker.hpp"
#include "target/prepare.hpp"

namespace diskproof {
namespace {

namespace fs = std::filesystem;

JournalHeader dead_header(const std::string& run_id) {
  JournalHeader header = sample_header(run_id);
  header.process.start_time += 1;  // nobody of that pid and start time runs
  return header;
}

TEST_CASE("cleanup: a run that is under way is left alone") {
  const TempFolder folder, state;
  const Plan plan = plan_with(file_disk(folder.path("f.dat")));
  Preparation preparation(plan, state.path(), sample_header());
  preparation.prepare(roomy_filesystem);
  CHECK(find_abandoned_runs(state.path()).empty());
  preparation.undo({});
}

TEST_CASE("cleanup: nothing is found where nothing ever ran") { CHECK(find_abandoned_runs("/no/such/folder").empty()); }

TEST_CASE("cleanup: what a killed run made is removed, once and for all") {
  const TempFolder folder, state;
  const Plan plan = plan_with(directory_disk(folder.path(), folder.path("sub/diskproof-run-1")));
  Preparation(plan, state.path(), dead_header("run-1")).prepare(roomy_filesystem);  // ends without undo
  CHECK(folder.has("sub/diskproof-run-1/t0.dat"));
  const auto runs = find_abandoned_runs(state.path());
  REQUIRE(runs.size() == 1);
  for (const StepReport& step : clean_up(runs[0])) {
    CAPTURE(step.name);
    CHECK(step.reason == "");
  }
  CHECK(fs::is_empty(folder.path()));
  CHECK(fs::is_empty(state.path()));
  for (const StepReport& step : clean_up(runs[0])) CHECK(step.reason == "");  // again does no harm
}

TEST_CASE("cleanup: a kill between making a file and recording it leaves an empty file, which is removed") {
  const TempFolder folder, state;
  Journal journal(state.path(), dead_header("run-1"));
  journal.begin(
      {.kind = UndoKind::remove_file, .disk = "data", .path = folder.path("f.dat"), .keep = false, .identity = {}});
  create_file(folder.path("f.dat"));
  const auto runs = find_abandoned_runs(state.path());
  REQUIRE(runs.size() == 1);
  clean_up(runs[0]);
  CHECK_FALSE(folder.has("f.dat"));
}

TEST_CASE("cleanup: without an identity a file with content is left alone") {
  const TempFolder folder, state;
  Journal journal(state.path(), dead_header("run-1"));
  journal.begin(
      {.kind = UndoKind::remove_file, .disk = "data", .path = folder.path("f.dat"), .keep = false, .identity = {}});
  folder.write("f.dat", "precious");
  const auto runs = find_abandoned_runs(state.path());
  REQUIRE(runs.size() == 1);
  const auto steps = clean_up(runs[0]);
  REQUIRE(steps.size() == 1);
  CHECK(steps[0].outcome == Outcome::error);
  CHECK(folder.read("f.dat") == "precious");
  CHECK(find_abandoned_runs(state.path()).size() == 1);
}

TEST_CASE("cleanup: of a disk that is kept only files without a marker go") {
  const TempFolder folder, state;
  DiskPlan disk = file_disk(folder.path("f.dat"));
  disk.keep = true;
  const Plan plan = plan_with(disk);
  Preparation(plan, state.path(), dead_header("run-1")).prepare(roomy_filesystem);
  clean_up(find_abandoned_runs(state.path()).at(0));
  CHECK(folder.has("f.dat"));
  CHECK(fs::is_empty(state.path()));

  fs::remove(folder.path("f.dat.diskproof"));
  fs::remove(folder.path("f.dat"));
  Preparation(plan, state.path(), dead_header("run-2")).prepare(roomy_filesystem);
  fs::remove(folder.path("f.dat.diskproof"));  // killed before the marker was there
  clean_up(find_abandoned_runs(state.path()).at(0));
  CHECK_FALSE(folder.has("f.dat"));
}

TEST_CASE("cleanup: a journal that cannot be read is named and left") {
  const TempFolder state;
  fs::create_directory(state.path("run-1"));
  state.write("run-1/journal.jsonl", "garbage\n");
  const auto runs = find_abandoned_runs(state.path());
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].fault.find("run-1/journal.jsonl") != std::string::npos);
  CHECK(clean_up(runs[0]).empty());
  CHECK(state.has("run-1/journal.jsonl"));
}

}  // namespace
}  // namespace diskproof
