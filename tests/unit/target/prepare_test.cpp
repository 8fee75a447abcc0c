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

// The text of the refusal; empty when there is none.
std::string refusal_of(Preparation& preparation) {
  try {
    preparation.prepare(roomy_filesystem);
    return "";
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::refused);
    return error.what();
  }
}

std::ptrdiff_t entries_of(const TempFolder& folder) {
  return std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator());
}

TEST_CASE("prepare: a file is made with its marker, and both are removed") {
  const TempFolder folder, state;
  const Plan plan = plan_with(file_disk(folder.path("f.dat")));
  Preparation preparation(plan, state.path(), sample_header());
  preparation.prepare(roomy_filesystem);
  CHECK(fs::file_size(folder.path("f.dat")) == 8192);
  CHECK(folder.has("f.dat.diskproof"));
  CHECK_FALSE(preparation.laid_out("data"));
  preparation.undo({});
  CHECK(fs::is_empty(folder.path()));
  CHECK(has_no_run(state.path()));
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

TEST_CASE("prepare: a kept file that was trimmed is laid out again by the next run") {
  const TempFolder folder, state;
  DiskPlan disk = directory_disk(folder.path(), folder.path("diskproof-job-data"));
  disk.keep = true;
  const Plan plan = plan_with(disk);
  for (int run = 0; run < 2; ++run) {
    CAPTURE(run);
    Preparation preparation(plan, state.path(), sample_header("run-" + std::to_string(run)));
    preparation.prepare(roomy_filesystem);
    CHECK_FALSE(preparation.laid_out("data"));
    preparation.record_layout("data", 99);
    preparation.forget_layout("data");
    CHECK_FALSE(preparation.laid_out("data"));
    preparation.undo({});
    CHECK(all_passed(preparation.steps()));
  }
}

TEST_CASE("prepare: a kept file that was written to or cut short is not used again") {
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
  CHECK(refusal_of(second).find("was changed by somebody else") != std::string::npos);
  second.undo({});
  Plan consenting = plan;
  consenting.disks[0].overwrite = true;
  Preparation third(consenting, state.path(), sample_header("run-3"));
  third.prepare(roomy_filesystem);
  CHECK_FALSE(third.laid_out("data"));
  third.undo({});
}

TEST_CASE("prepare: what a run writes to a kept file does not keep the next run from it") {
  const TempFolder folder, state;
  DiskPlan disk = file_disk(folder.path("f.dat"));
  for (int run = 0; run < 4; ++run) {
    CAPTURE(run);
    disk.keep = run != 2;  // a file that was kept once stays
    const Plan plan = plan_with(disk);
    Preparation preparation(plan, state.path(), sample_header("run-" + std::to_string(run)));
    preparation.prepare(roomy_filesystem);
    folder.write("f.dat", std::string(8192, static_cast<char>('a' + run)));
    fs::last_write_time(folder.path("f.dat"), fs::file_time_type::clock::now() + std::chrono::seconds(run + 1));
    preparation.undo({});
    CHECK(all_passed(preparation.steps()));
    CHECK(has_no_run(state.path()));
  }
  CHECK(entries_of(folder) == 2);
}

TEST_CASE("prepare: what has the name of a temporary marker of earlier versions is left alone") {
  const TempFolder folder, state;
  folder.write("f.dat.diskproof.new", "precious");
  const Plan plan = plan_with(file_disk(folder.path("f.dat")));
  Preparation preparation(plan, state.path(), sample_header());
  preparation.prepare(roomy_filesystem);
  preparation.undo({});
  CHECK(folder.read("f.dat.diskproof.new") == "precious");
  CHECK(entries_of(folder) == 1);
}

TEST_CASE("prepare: what stands in the way of a temporary marker is refused and stays") {
  const TempFolder folder, state;
  const Plan plan = plan_with(file_disk(folder.path("f.dat")));
  for (int n = 1; n < 9; ++n) folder.write(".diskproof-run-1-" + std::to_string(n), "precious");
  Preparation preparation(plan, state.path(), sample_header());
  CHECK(refusal_of(preparation).find("File exists") != std::string::npos);
  preparation.undo({});
  CHECK(entries_of(folder) == 8);
  CHECK(folder.read(".diskproof-run-1-3") == "precious");
  CHECK(has_no_run(state.path()));
}

TEST_CASE("prepare: a folder that cannot be made is refused and leaves no step") {
  const TempFolder folder, state;
  folder.write("in-the-way", "");
  const Plan plan = plan_with(directory_disk(folder.path(), folder.path("in-the-way/w")));
  Preparation preparation(plan, state.path(), sample_header());
  CHECK(refusal_of(preparation).find("in-the-way") != std::string::npos);
  CHECK(read_journal(journal_path(state.path("run-1"))).open.empty());
  preparation.undo({});
  CHECK(folder.has("in-the-way"));
}

TEST_CASE("prepare: two jobs whose names come to the same kept folder do not share it") {
  const TempFolder folder, state;
  DiskPlan disk = directory_disk(folder.path(), folder.path("diskproof-a-b-c"));
  disk.keep = true;
  const auto prepare_for = [&](const std::string& job, const std::string& name) {
    Plan plan = plan_with(disk);
    plan.job_name = job;
    plan.disks[0].name = name;
    Preparation preparation(plan, state.path(), sample_header(job + "." + name));
    const std::string refusal = refusal_of(preparation);
    preparation.undo({});
    return refusal;
  };
  CHECK(prepare_for("a-b", "c") == "");
  CHECK(prepare_for("a-b", "c") == "");
  CHECK(prepare_for("a", "b-c").find("is kept by disk c of the job a-b") != std::string::npos);
  folder.write("diskproof-a-b-c/lock", "precious");
  CHECK(prepare_for("a-b", "c").find("was not written by diskproof") != std::string::npos);
  CHECK(folder.read("diskproof-a-b-c/lock") == "precious");
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
  CHECK(has_no_run(state.path()));
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
  DiskPlan broken = file_disk(folder.path("broken.dat"), std::uint64_t{1} << 63);  // no file can be that long
  broken.name = "broken";
  broken.fill = true;
  Plan plan = plan_with(broken);
  plan.disks.push_back(file_disk(folder.path("f.dat")));
  plan.disks[1].fill = true;
  Preparation preparation(plan, state.path(), sample_header());
  preparation.prepare([](const std::string&) { return FilesystemFacts{}; });
  CHECK(preparation.fault_of("broken").find("broken.dat") != std::string::npos);
  CHECK(preparation.fault_of("data").empty());
  CHECK(folder.has("f.dat"));
  preparation.undo({});
  CHECK(fs::is_empty(folder.path()));
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
