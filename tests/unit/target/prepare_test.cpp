// Files made and taken back; nobody else's touched.
#include "target/prepare.hpp"

#include <doctest/doctest.h>
#include <filesystem>

#include "disk_samples.hpp"
#include "support/error.hpp"

namespace diskproof {
namespace {

namespace fs = std::filesystem;

bool all_passed(const std::vector<StepReport>& steps) {
  for (const StepReport& step : steps) {
    if (step.outcome != Outcome::pass) return false;
  }
  return true;
}

TEST_CASE("prepare: a file is made with its marker, and both are removed") {
  const TempFolder folder, state;
  const Plan plan = plan_with(file_disk(folder.path("f.dat")));
  Preparation preparation(plan, state.path(), sample_header());
  preparation.prepare(roomy_filesystem);
  CHECK(fs::file_size(folder.path("f.dat")) == 8192);
  CHECK(fs::status(folder.path("f.dat")).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  CHECK(folder.has("f.dat.diskproof"));
  CHECK_FALSE(preparation.laid_out("data"));
  preparation.undo({});
  CHECK(fs::is_empty(folder.path()));
  CHECK(fs::is_empty(state.path()));
  CHECK(all_passed(preparation.steps()));
}

TEST_CASE("prepare: folders that were missing are made and removed, others stay") {
  const TempFolder folder, state;
  fs::create_directory(folder.path("sub"));
  const Plan plan = plan_with(directory_disk(folder.path(), folder.path("sub/deep/diskproof-run-1")));
  Preparation preparation(plan, state.path(), sample_header());
  preparation.prepare(roomy_filesystem);
  CHECK(folder.has("sub/deep/diskproof-run-1/t0.dat"));
  CHECK(folder.has("sub/deep/diskproof-run-1/t1.dat"));
  CHECK(folder.has("sub/deep/diskproof-run-1/lock"));
  preparation.undo({});
  CHECK(fs::is_empty(folder.path("sub")));
  CHECK(all_passed(preparation.steps()));
}

TEST_CASE("prepare: a kept file is re-used once its layout is recorded") {
  const TempFolder folder, state;
  DiskPlan disk = directory_disk(folder.path(), folder.path("diskproof-job-data"));
  disk.keep = true;
  const Plan plan = plan_with(disk);
  for (int run = 0; run < 2; ++run) {
    CAPTURE(run);
    Preparation preparation(plan, state.path(), sample_header("run-" + std::to_string(run)));
    preparation.prepare(roomy_filesystem);
    CHECK(preparation.laid_out("data") == (run == 1));
    preparation.record_layout("data", 99);
    CHECK(preparation.laid_out("data"));
    preparation.undo({});
    CHECK(all_passed(preparation.steps()));
    CHECK(folder.has("diskproof-job-data/t1.dat"));
    CHECK(folder.has("diskproof-job-data/t1.dat.diskproof"));
  }
  Plan larger = plan;
  larger.disks[0].file_size = 16384;
  Preparation preparation(larger, state.path(), sample_header("run-2"));
  preparation.prepare(roomy_filesystem);
  CHECK_FALSE(preparation.laid_out("data"));
  CHECK(fs::file_size(folder.path("diskproof-job-data/t0.dat")) == 16384);
}

TEST_CASE("prepare: a kept file that was cut short is laid out again") {
  const TempFolder folder, state;
  DiskPlan disk = file_disk(folder.path("f.dat"));
  disk.keep = true;
  const Plan plan = plan_with(disk);
  {
    Preparation first(plan, state.path(), sample_header("run-1"));
    first.prepare(roomy_filesystem);
    first.record_layout("data", 1);
    first.undo({});
  }
  fs::resize_file(folder.path("f.dat"), 4096);
  Preparation second(plan, state.path(), sample_header("run-2"));
  second.prepare(roomy_filesystem);
  CHECK_FALSE(second.laid_out("data"));
}

TEST_CASE("prepare: a refusal changes nothing and is a step of its own") {
  const TempFolder folder, state;
  folder.write("f.dat", "precious");
  const Plan plan = plan_with(file_disk(folder.path("f.dat")));
  Preparation preparation(plan, state.path(), sample_header());
  CHECK_THROWS_AS(preparation.prepare(roomy_filesystem), Error);
  REQUIRE(preparation.steps().size() == 1);
  CHECK(preparation.steps()[0].name == "guard data");
  CHECK(preparation.steps()[0].outcome == Outcome::error);
  preparation.undo({});
  CHECK(folder.read("f.dat") == "precious");
  CHECK(fs::is_empty(state.path()));
}

TEST_CASE("prepare: with consent a foreign file is used, never shortened and never removed") {
  const TempFolder folder, state;
  const std::string content(20'000, 'x');
  folder.write("f.dat", content);
  DiskPlan disk = file_disk(folder.path("f.dat"));
  disk.overwrite = true;
  const Plan plan = plan_with(disk);
  Preparation preparation(plan, state.path(), sample_header());
  preparation.prepare(roomy_filesystem);
  CHECK(folder.has("f.dat.diskproof"));
  preparation.undo({});
  CHECK(folder.read("f.dat") == content);
  CHECK_FALSE(folder.has("f.dat.diskproof"));
}

TEST_CASE("prepare: undo leaves a file alone that took the place of ours") {
  const TempFolder folder, state;
  const Plan plan = plan_with(file_disk(folder.path("f.dat")));
  Preparation preparation(plan, state.path(), sample_header());
  preparation.prepare(roomy_filesystem);
  folder.write("other", "precious");
  fs::rename(folder.path("other"), folder.path("f.dat"));
  preparation.undo({});
  CHECK(folder.read("f.dat") == "precious");
  CHECK_FALSE(all_passed(preparation.steps()));
  CHECK_FALSE(fs::is_empty(state.path()));  // for another try
}

TEST_CASE("prepare: undo leaves a folder with files of others") {
  const TempFolder folder, state;
  const Plan plan = plan_with(directory_disk(folder.path(), folder.path("w")));
  Preparation preparation(plan, state.path(), sample_header());
  preparation.prepare(roomy_filesystem);
  folder.write("w/notes", "precious");
  preparation.undo({});
  CHECK(folder.read("w/notes") == "precious");
  CHECK_FALSE(folder.has("w/t0.dat"));
  CHECK_FALSE(all_passed(preparation.steps()));
}

TEST_CASE("prepare: a tainted disk stays for cleanup") {
  const TempFolder folder, state;
  const Plan plan = plan_with(file_disk(folder.path("f.dat")));
  Preparation preparation(plan, state.path(), sample_header());
  preparation.prepare(roomy_filesystem);
  preparation.undo({"data"});
  CHECK(folder.has("f.dat"));
  CHECK(preparation.steps().back().reason.find("diskproof cleanup") != std::string::npos);
  CHECK(read_journal(journal_path(state.path("run-1"))).open.size() == 2);
}

TEST_CASE("prepare: a disk that cannot be made does not keep the others from it") {
  const TempFolder folder, state;
  folder.write("in-the-way", "mine");
  DiskPlan broken = directory_disk(folder.path(), folder.path("in-the-way/diskproof-run-1"));
  broken.name = "broken";
  Plan plan = plan_with(broken);
  plan.disks.push_back(file_disk(folder.path("f.dat")));
  Preparation preparation(plan, state.path(), sample_header());
  preparation.prepare(roomy_filesystem);
  CHECK(preparation.fault_of("broken").find("in-the-way") != std::string::npos);
  CHECK(preparation.fault_of("data").empty());
  CHECK(folder.has("f.dat"));
  preparation.undo({});
  CHECK_FALSE(folder.has("f.dat"));
  CHECK(folder.read("in-the-way") == "mine");
}

TEST_CASE("prepare: two runs do not share a file") {
  const TempFolder folder, state;
  DiskPlan disk = file_disk(folder.path("f.dat"));
  const Plan plan = plan_with(disk);
  Preparation first(plan, state.path(), sample_header("run-1"));
  first.prepare(roomy_filesystem);
  Preparation second(plan, state.path(), sample_header("run-2"));
  try {
    second.prepare(roomy_filesystem);
    FAIL("the file is in use");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::refused);
    CHECK(std::string(error.what()).find("in use by another run") != std::string::npos);
  }
  second.undo({});
  CHECK(folder.has("f.dat"));
}

}  // namespace
}  // namespace diskproof
