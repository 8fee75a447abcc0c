// Links, FIFOs, devices and modes, where files and folders of a run should be, and names that change hands.
#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <functional>
#include <sys/stat.h>
#include <unistd.h>

#include "guard_bench.hpp"
#include "target/cleanup.hpp"
#include "target/prepare.hpp"

namespace diskproof {
namespace {

namespace fs = std::filesystem;

TEST_CASE("special files: each has its own refusal, which consent to overwrite does not help") {
  const TempFolder folder;
  folder.write("foreign", "precious");
  fs::create_symlink(folder.path("foreign"), folder.path("link"));
  fs::create_symlink(folder.path("nowhere"), folder.path("dangling"));
  REQUIRE(mkfifo(folder.path("fifo").c_str(), 0600) == 0);
  struct Row {
    std::string path;
    const char* message;
  };
  for (const Row& row : {Row{folder.path("link"), "is a symbolic link"},
                         {folder.path("dangling"), "is a symbolic link"},
                         {folder.path("fifo"), "is a FIFO or socket"},
                         {"/dev/null", "is a device"}}) {
    CAPTURE(row.path);
    DiskPlan disk = file_disk(row.path);
    CHECK(refusal_of(disk).find(row.message) != std::string::npos);
    disk.overwrite = true;
    CHECK(refusal_of(disk).find(row.message) != std::string::npos);
  }
  CHECK(folder.read("foreign") == "precious");
}

TEST_CASE("special files: one at the path of the marker is refused whatever stands at the file") {
  const TempFolder folder;
  const std::string marker = folder.path("f.dat.diskproof");
  struct Row {
    const char* name;
    std::function<void()> make;
  };
  for (const Row& row : {Row{"a dangling link", [&] { fs::create_symlink(folder.path("nowhere"), marker); }},
                         {"a FIFO", [&] { REQUIRE(mkfifo(marker.c_str(), 0600) == 0); }}}) {
    CAPTURE(row.name);
    row.make();
    for (const bool exists : {false, true}) {
      for (const bool overwrite : {false, true}) {
        CAPTURE(exists);
        CAPTURE(overwrite);
        if (exists) folder.write("f.dat", "content");
        DiskPlan disk = file_disk(folder.path("f.dat"));
        disk.overwrite = overwrite;
        CHECK(refusal_of(disk).find("f.dat.diskproof cannot be trusted") != std::string::npos);
        fs::remove(folder.path("f.dat"));
      }
    }
    fs::remove(marker);
  }
}

TEST_CASE("special files: a link is no work folder") {
  const TempFolder folder;
  fs::create_directory(folder.path("elsewhere"));
  fs::create_directory_symlink(folder.path("elsewhere"), folder.path("work-link"));
  CHECK(refusal_of(directory_disk(folder.path(), folder.path("work-link"))).find("is a symbolic link") !=
        std::string::npos);
}

TEST_CASE("special files: a link in the place of a marker is refused") {
  const TempFolder folder;
  const std::string file = folder.write("f.dat", "content");
  folder.write("elsewhere", marker_to_text({}));
  fs::create_symlink(folder.path("elsewhere"), marker_path(file));
  CHECK_THROWS_AS(load_marker(file), Error);
}

TEST_CASE("special files: files and folders of a run are the user's own") {
  const TempFolder root, folder;
  const Plan plan = plan_with(file_disk(folder.path("f.dat")));
  Preparation preparation(plan, root.path(), sample_header());
  preparation.prepare(roomy_filesystem);
  CHECK(fs::status(folder.path("f.dat")).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  CHECK(fs::status(root.path("run-1")).permissions() == fs::perms::owner_all);
  preparation.undo({});
}

TEST_CASE("special files: undo leaves a file alone that took the place of ours") {
  const TempFolder folder, state;
  const Plan plan = plan_with(file_disk(folder.path("f.dat")));
  Preparation preparation(plan, state.path(), sample_header());
  preparation.prepare(roomy_filesystem);
  folder.write("other", "precious");
  fs::rename(folder.path("other"), folder.path("f.dat"));
  preparation.undo({});
  CHECK(folder.read("f.dat") == "precious");
  CHECK(std::any_of(preparation.steps().begin(), preparation.steps().end(),
                    [](const StepReport& step) { return step.outcome != Outcome::pass; }));
  CHECK(has_no_run(state.path()));  // nothing of ours is left
}

TEST_CASE("special files: cleanup follows no link to a run's folder, and no journal of another user") {
  const TempFolder folder, state, elsewhere;
  JournalHeader dead = sample_header();
  dead.process.start_time += 1;
  const Plan plan = plan_with(file_disk(folder.path("f.dat")));
  Preparation(plan, elsewhere.path(), dead).prepare(roomy_filesystem);
  fs::create_directory_symlink(elsewhere.path("run-1"), state.path("run-1"));
  CHECK(find_abandoned_runs(state.path()).empty());
  CHECK(find_abandoned_runs(elsewhere.path()).size() == 1);
  if (geteuid() != 0) {
    MESSAGE("skipped: only root has folders of others");
    return;
  }
  REQUIRE(chown(elsewhere.path("run-1").c_str(), 12345, 12345) == 0);
  CHECK(find_abandoned_runs(elsewhere.path()).empty());
  CHECK(folder.has("f.dat"));
}

}  // namespace
}  // namespace diskproof
