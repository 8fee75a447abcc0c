// Runs that were killed at different moments.
#include "target/cleanup.hpp"

#include <doctest/doctest.h>
#include <filesystem>

#include "disk_samples.hpp"
#include "support/error.hpp"
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

UndoStep step_for(UndoKind kind, const std::string& path) {
  return {.kind = kind, .disk = "data", .path = path, .keep = false, .size = 0, .folder = {}, .identity = {}};
}

AbandonedRun only_run(const TempFolder& state) {
  const auto runs = find_abandoned_runs(state.path());
  REQUIRE(runs.size() == 1);
  return runs[0];
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
  CHECK(has_no_run(state.path()));
  for (const StepReport& step : clean_up(runs[0])) CHECK(step.reason == "");  // again does no harm
}

TEST_CASE("cleanup: a run that another cleanup is undoing is left to it") {
  const TempFolder folder, state;
  const Plan plan = plan_with(file_disk(folder.path("f.dat")));
  Preparation(plan, state.path(), dead_header("run-1")).prepare(roomy_filesystem);
  const AbandonedRun run = only_run(state);
  {
    const Journal other(run.folder);
    const auto steps = clean_up(run);
    REQUIRE(steps.size() == 1);
    CHECK(steps[0].outcome == Outcome::error);
    CHECK(steps[0].reason.find("another process is undoing it") == 0);
    CHECK(folder.has("f.dat"));
  }
  for (const StepReport& step : clean_up(run)) CHECK(step.reason == "");
  CHECK_FALSE(folder.has("f.dat"));
}

TEST_CASE("cleanup: a kill between making a file and recording it leaves an empty file, which is removed") {
  const TempFolder folder, state;
  Journal(state.path(), dead_header("run-1")).begin(step_for(UndoKind::remove_file, folder.path("f.dat")));
  create_file(folder.path("f.dat"));
  const auto runs = find_abandoned_runs(state.path());
  REQUIRE(runs.size() == 1);
  clean_up(runs[0]);
  CHECK_FALSE(folder.has("f.dat"));
}

TEST_CASE("cleanup: without an identity a file with content is left alone") {
  const TempFolder folder, state;
  Journal(state.path(), dead_header("run-1")).begin(step_for(UndoKind::remove_file, folder.path("f.dat")));
  folder.write("f.dat", "precious");
  const auto runs = find_abandoned_runs(state.path());
  REQUIRE(runs.size() == 1);
  const auto steps = clean_up(runs[0]);
  REQUIRE(steps.size() == 1);
  CHECK(steps[0].outcome == Outcome::error);
  CHECK(steps[0].reason.find("left " + folder.path("f.dat") + " alone") != std::string::npos);
  CHECK(folder.read("f.dat") == "precious");
  CHECK(find_abandoned_runs(state.path()).empty());  // said once: nothing of ours is left
}

TEST_CASE("cleanup: of a disk that is kept only files without a marker go") {
  const TempFolder folder, state;
  DiskPlan disk = file_disk(folder.path("f.dat"));
  disk.keep = true;
  const Plan plan = plan_with(disk);
  Preparation(plan, state.path(), dead_header("run-1")).prepare(roomy_filesystem);
  clean_up(find_abandoned_runs(state.path()).at(0));
  CHECK(folder.has("f.dat"));
  CHECK(has_no_run(state.path()));

  fs::remove(folder.path("f.dat.diskproof"));
  fs::remove(folder.path("f.dat"));
  Preparation(plan, state.path(), dead_header("run-2")).prepare(roomy_filesystem);
  fs::remove(folder.path("f.dat.diskproof"));  // killed before the marker was there
  clean_up(find_abandoned_runs(state.path()).at(0));
  CHECK_FALSE(folder.has("f.dat"));
}

TEST_CASE("cleanup: without an identity only what was born during the run is removed") {
  struct Row {
    const char* name;
    UndoKind kind;
  };
  for (const Row& row : {Row{"file", UndoKind::remove_file}, Row{"folder", UndoKind::remove_folder}}) {
    CAPTURE(row.name);
    const TempFolder folder, state;
    const std::string path = folder.path("x");
    if (row.kind == UndoKind::remove_file) create_file(path);
    if (row.kind == UndoKind::remove_folder) create_folder(path);
    JournalHeader later = dead_header("run-1");
    later.started = std::int64_t{1} << 32;  // after its birth
    Journal(state.path(), later).begin(step_for(row.kind, path));
    const auto steps = clean_up(only_run(state));
    REQUIRE(steps.size() == 1);
    CHECK(steps[0].reason.find("alone") != std::string::npos);
    CHECK(folder.has("x"));
    CHECK(has_no_run(state.path()));
    Journal(state.path(), dead_header("run-1")).begin(step_for(row.kind, path));
    clean_up(only_run(state));
    const bool birth_known = look_at(folder.path()).born != 0;
    CHECK(folder.has("x") == !birth_known);
  }
}

TEST_CASE("cleanup: a file of another birth or of a size that the run never gave it is left alone") {
  struct Row {
    const char* name;
    std::uint64_t older, size;
    bool removed;
  };
  const TempFolder probe;
  const bool birth_known = look_at(probe.path()).identity.born != 0;
  for (const Row& row : {Row{"as made", 0, 8, true},
                         {"empty still", 0, 0, true},
                         {"another size", 0, 9, false},
                         {"the same inode of an older file", 1, 8, !birth_known}}) {
    CAPTURE(row.name);
    const TempFolder folder, state;
    const std::string path = folder.write("f.dat", std::string(row.size, 'x'));
    {
      Journal journal(state.path(), dead_header("run-1"));
      UndoStep step = step_for(UndoKind::remove_file, path);
      step.size = 8;
      FileIdentity identity = look_at(path).identity;
      if (birth_known) identity.born -= row.older;
      journal.identify(journal.begin(step), identity);
    }
    const auto steps = clean_up(only_run(state));
    REQUIRE(steps.size() == 1);
    CHECK((steps[0].outcome == Outcome::pass) == row.removed);
    CHECK(folder.has("f.dat") == !row.removed);
    CHECK(has_no_run(state.path()));
  }
}

TEST_CASE("cleanup: a kept file of a killed run is ours again only after it") {
  const TempFolder folder, state;
  DiskPlan disk = file_disk(folder.path("f.dat"));
  disk.keep = true;
  const Plan plan = plan_with(disk);
  Preparation(plan, state.path(), dead_header("run-1")).prepare(roomy_filesystem);
  folder.write("f.dat", std::string(8192, 'x'));  // the phases
  Preparation early(plan, state.path(), sample_header("run-2"));
  CHECK_THROWS_WITH_AS(early.prepare(roomy_filesystem), doctest::Contains("`diskproof cleanup`"), Error);
  early.undo({});
  for (const StepReport& step : clean_up(only_run(state))) CHECK(step.reason == "");
  Preparation late(plan, state.path(), sample_header("run-3"));
  late.prepare(roomy_filesystem);
  late.undo({});
  CHECK(folder.read("f.dat") == std::string(8192, 'x'));
}

TEST_CASE("cleanup: what is in a folder that is away is undone when the folder is back") {
  const TempFolder folder, state;
  fs::create_directory(folder.path("mounted"));
  const Plan plan = plan_with(file_disk(folder.path("mounted/f.dat")));
  Preparation(plan, state.path(), dead_header("run-1")).prepare(roomy_filesystem);
  fs::rename(folder.path("mounted"), folder.path("away"));
  for (const bool another : {false, true}) {
    CAPTURE(another);
    if (another) fs::create_directory(folder.path("mounted"));
    const auto steps = clean_up(only_run(state));
    REQUIRE(steps.size() == 2);
    for (const StepReport& step : steps) {
      CHECK(step.outcome == Outcome::error);
      CHECK(step.reason.find(folder.path("mounted/f.dat")) != std::string::npos);
      CHECK(step.reason.find("is not undone") != std::string::npos);
    }
  }
  fs::remove(folder.path("mounted"));
  fs::rename(folder.path("away"), folder.path("mounted"));
  for (const StepReport& step : clean_up(only_run(state))) CHECK(step.reason == "");
  CHECK(fs::is_empty(folder.path("mounted")));
  CHECK(has_no_run(state.path()));
}

TEST_CASE("cleanup: a run cut off before its journal began made nothing, and its folder goes") {
  struct Row {
    const char* name;
    const char* header;  // none: no journal either
  };
  for (const Row& row : {Row{"no journal", nullptr}, Row{"empty", ""}, Row{"torn", "{\"diskproof_jour"}}) {
    CAPTURE(row.name);
    const TempFolder state;
    fs::create_directories(state.path("run-1/engines"));
    if (row.header != nullptr) state.write("run-1/journal.jsonl", row.header);
    {
      const OpenFile root = open_folder(state.path());
      root.lock();  // as a run that is about to begin its journal
      CHECK(find_abandoned_runs(state.path()).empty());
    }
    for (const StepReport& step : clean_up(only_run(state))) CHECK(step.reason == "");
    CHECK(has_no_run(state.path()));
  }
  const TempFolder state;
  fs::create_directory(state.path("notes"));
  state.write("notes/mine", "precious");
  CHECK(find_abandoned_runs(state.path()).empty());
}

TEST_CASE("cleanup: a journal that cannot be read is named and left") {
  const TempFolder state;
  fs::create_directory(state.path("run-1"));
  state.write("run-1/journal.jsonl", "garbage\n");
  const auto runs = find_abandoned_runs(state.path());
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].fault.find(state.path("run-1/journal.jsonl")) != std::string::npos);
  CHECK(clean_up(runs[0]).empty());
  CHECK(state.has("run-1/journal.jsonl"));
}

}  // namespace
}  // namespace diskproof
