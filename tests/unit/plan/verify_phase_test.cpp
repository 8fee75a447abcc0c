// What a plan says of phases that stamp and of checks.
#include "plan/verify_phase.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "plan/plan_check.hpp"
#include "plan/plan_json.hpp"
#include "plan/plan_printer.hpp"
#include "support/plan_samples.hpp"

namespace diskproof {
namespace {

// Windows takes both kinds.
std::string slashes(std::string path) {
  std::ranges::replace(path, '\\', '/');
  return path;
}

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

Phase writer_phase(const std::string& name) {
  Phase phase = sample_phase(name);
  phase.operations = {.read = 0, .write = 100, .trim = 0};
  phase.verify.write = true;
  return phase;
}

Phase check_phase(const std::string& name, const std::string& of) {
  Phase phase = sample_phase(name);
  phase.size.reset();
  phase.verify.of = of;
  phase.layout = Layout::none;
  phase.stop = {StopRule::Kind::bytes, 1};
  return phase;
}

Plan plan_of(const Job& job, const SampleMachine& machine = {}, PlanRequest request = sample_request()) {
  Diagnostics diagnostics;
  Plan plan = make_plan(job, request, machine.view(), diagnostics);
  const std::string fault = diagnostics.empty() ? find_fault(plan) : diagnostics.front().message;
  CHECK(fault == "");
  return plan;
}

ManifestFacts facts_of(std::vector<ManifestFacts::File> files) {
  ManifestFacts facts;
  facts.expected = 5 * kMiB;
  facts.granule = 4096;
  facts.largest_write = 4 * kMiB;
  facts.files = std::move(files);
  return facts;
}

TEST_CASE("verify plan: a check reads the files of its writer, as far as the map goes") {
  Job job = sample_job();
  job.phases = {writer_phase("a"), writer_phase("a/b"), check_phase("check", "a/b")};
  job.phases[0].block_size = 8192;
  const Plan plan = plan_of(job);
  REQUIRE(plan.phases.size() == 4);
  const PhasePlan& first = plan.phases[1];
  const PhasePlan& second = plan.phases[2];
  const PhasePlan& check = plan.phases[3];
  CHECK(slashes(first.verify.manifest) == "/out/a.manifest");
  CHECK(slashes(second.verify.manifest) == "/out/a-b.manifest");
  CHECK(first.verify.map == second.verify.map);
  CHECK(first.verify.granule == second.verify.granule);
  CHECK(first.verify.granule == std::min<std::uint64_t>(8192, second.block_size));
  CHECK(check.kind == PhaseKind::verify);
  CHECK(check.verify.of == "a/b");
  CHECK(check.verify.manifest == second.verify.manifest);
  REQUIRE(check.targets.size() == 1);
  CHECK(check.targets[0].spec == second.targets[0].spec);
  CHECK(check.block_size == kMiB);
  CHECK(check.stop.value == plan.disks[0].file_size);
  CHECK(check.timeout > 60'000'000'000u);
  CHECK(check.needs.empty());
}

TEST_CASE("verify plan: how deep a check goes follows from the engine that is chosen, not from those that could be") {
  struct Row {
    const char* name;
    std::vector<EngineChoice> engines;
    bool any_depth;
    std::uint32_t depth;
  };
  for (const Row& row : {Row{"one that queues", {{"aio", {}}}, true, 8}, Row{"one at a time", {{"sync", {}}}, true, 1},
                         Row{"the first can", {{"aio", {}}, {"sync", {}}}, true, 8},
                         Row{"the first is not there", {{"none", {}}, {"sync", {}}}, true, 1},
                         Row{"one at a time comes first", {{"sync", {}}, {"aio", {}}}, true, 1},
                         Row{"a depth that is said passes it over", {{"sync", {}}, {"aio", {}}}, false, 8}}) {
    CAPTURE(row.name);
    Job job = sample_job();
    job.phases = {writer_phase("a"), check_phase("check", "a")};
    Phase& check = job.phases[1];
    check.engines = row.engines;
    check.queue_depth = 8;
    check.verify.any_depth = row.any_depth;
    CHECK(plan_of(job).phases.back().queue_depth == row.depth);
  }
  SampleMachine shallow;
  shallow.engines["aio"].max_depth = 3;
  Job job = sample_job();
  job.phases = {writer_phase("a"), check_phase("check", "a")};
  job.phases[1].queue_depth = 8;
  job.phases[1].verify.any_depth = true;
  job.phases[0].queue_depth = 1;
  CHECK(plan_of(job, shallow).phases.back().queue_depth == 3);
}

TEST_CASE("verify plan: a check that is chosen without its writer is an error - left out with it, it is skipped") {
  Job job = sample_job();
  job.phases = {writer_phase("a"), check_phase("check", "a"), sample_phase("other")};
  job.phases[2].layout = Layout::none;
  job.phases[2].operations = {.read = 0, .write = 100, .trim = 0};
  const auto says = [&](std::vector<std::string> only) {
    PlanRequest request = sample_request();
    request.only = std::move(only);
    Diagnostics diagnostics;
    make_plan(job, request, SampleMachine{}.view(), diagnostics);
    return diagnostics.empty() ? std::string() : diagnostics.front().message;
  };
  CHECK(says({"check"}) == "phase 'a' is left out by --only, so there is nothing to check");
  CHECK(says({"check", "a"}) == "");
  CHECK(says({"other"}) == "");
}

TEST_CASE("verify plan: that the manifest of another run will be replaced is said") {
  Job job = sample_job();
  job.phases = {writer_phase("a")};
  SampleMachine machine;
  MachineView view = machine.view();
  view.manifest_run = [](const std::string& path) {
    return slashes(path) == "/out/a.manifest" ? std::string("r-1") : std::string();
  };
  Diagnostics diagnostics;
  make_plan(job, sample_request(), view, diagnostics);
  REQUIRE(diagnostics.size() == 1);
  CHECK(diagnostics[0].level == Diagnostic::Level::warning);
  CHECK(diagnostics[0].message.find("the manifest of run r-1") != std::string::npos);
}

TEST_CASE("verify plan: it survives its JSON, and is printed") {
  Job job = sample_job();
  job.phases = {writer_phase("a"), check_phase("check", "a")};
  job.phases[0].verify.during = 12.5;
  const Plan plan = plan_of(job);
  const Plan again = plan_from_json(plan_to_json(plan));
  CHECK(again.phases[1].verify.write);
  CHECK(again.phases[1].verify.during == 12.5);
  CHECK(again.phases[1].verify.granule == plan.phases[1].verify.granule);
  CHECK(again.phases[2].kind == PhaseKind::verify);
  CHECK(again.phases[2].verify.of == "a");
  const std::string text = print_plan(plan);
  CHECK(text.find("writes are stamped; manifest " + plan.phases[1].verify.manifest) != std::string::npos);
  CHECK(text.find("12.5% of them are read back meanwhile") != std::string::npos);
  CHECK(text.find("check (verify) on data") != std::string::npos);
  CHECK(text.find("what phase a wrote") != std::string::npos);
  CHECK(text.find("verify.bytes == verify.expected") != std::string::npos);
}

TEST_CASE("verify plan: a check of another run takes its files from the manifest") {
  Job job = sample_job();
  job.file = "jobs/t.yaml";
  job.disks[0].kind = DiskKind::directory;
  job.disks[0].path = "/data";
  job.phases = {check_phase("check", "")};
  job.phases[0].verify.manifest = "old/a.manifest";
  SampleMachine machine;
  machine.manifests[native("/work-here/jobs/old/a.manifest")] =
      facts_of({{.path = "diskproof-t/t0.dat", .size = 3 * kMiB, .flushed_below = 0},
                {.path = "diskproof-t/t1.dat", .size = 3 * kMiB, .flushed_below = 0}});
  const Plan plan = plan_of(job, machine);
  REQUIRE(plan.phases.size() == 1);
  const PhasePlan& check = plan.phases[0];
  REQUIRE(check.targets.size() == 2);
  CHECK(slashes(check.targets[1].spec) == "/data/diskproof-t/t1.dat");
  CHECK(check.threads == 2);
  CHECK(check.block_size == 4 * kMiB);
  CHECK(check.stop.value == 5 * kMiB);
  CHECK(plan.disks[0].files.empty());  // none is made for it

  PlanRequest smoke = sample_request();
  smoke.smoke = true;
  CHECK(plan_of(job, machine, smoke).phases[0].skip.find("a smoke run") == 0);
  job.phases[0].optional = true;
  CHECK(plan_of(job).phases[0].skip.find("is not there") != std::string::npos);
  job.phases[0].optional = false;
  Diagnostics diagnostics;
  CHECK_THROWS_AS(make_plan(job, sample_request(), SampleMachine{}.view(), diagnostics), Error);
}

TEST_CASE("verify plan: files on a server are named below the URL, and in a manifest without it") {
  Job job = sample_job();
  job.disks[0].kind = DiskKind::url;
  job.disks[0].path = "nfs://server/share";
  job.phases = {writer_phase("a"), check_phase("check", "a"), check_phase("later", "")};
  for (Phase& phase : job.phases) phase.engines = {{"nfs", {}}};
  job.phases[0].threads = 2;
  job.phases[2].verify.manifest = "/m";
  job.phases[2].disk = "again";
  job.disks.push_back(job.disks[0]);
  job.disks[1].name = "again";
  SampleMachine machine;
  machine.manifests[native("/m")] = facts_of({{.path = "diskproof-t/t0.dat", .size = kMiB, .flushed_below = 0}});
  const Plan plan = plan_of(job, machine);
  const PhasePlan& check = plan.phases.at(2);
  REQUIRE(check.targets.size() == 2);
  CHECK(check.targets[1].spec == "nfs://server/share#diskproof-run-1/t1.dat");
  CHECK(name_on_disk(plan.disks[0], check.targets[1].spec) == "diskproof-run-1/t1.dat");
  REQUIRE(plan.phases.at(3).targets.size() == 1);
  CHECK(plan.phases[3].targets[0].spec == "nfs://server/share#diskproof-t/t0.dat");
}

TEST_CASE("verify plan: a file on a server is checked as one file") {
  Job job = sample_job();
  job.disks[0].kind = DiskKind::url;
  job.disks[0].path = "nfs://server/share/file";
  job.phases = {writer_phase("a"), check_phase("check", "a")};
  for (Phase& phase : job.phases) phase.engines = {{"nfs", {}}};
  SampleMachine machine;
  machine.url = {.folder = false, .size = 64 * kMiB};
  const Plan plan = plan_of(job, machine);
  const PhasePlan& check = plan.phases.back();
  REQUIRE(check.targets.size() == 1);
  CHECK(check.targets[0].spec == "nfs://server/share/file");
  CHECK(name_on_disk(plan.disks[0], check.targets[0].spec).empty());
}

TEST_CASE("verify plan: a manifest of files is no manifest of one file") {
  Job job = sample_job();
  job.phases = {check_phase("check", "")};
  job.phases[0].verify.manifest = "/m";
  SampleMachine machine;
  machine.manifests[native("/m")] = facts_of({{.path = "x/t0.dat", .size = 1, .flushed_below = 0}});
  Diagnostics diagnostics;
  make_plan(job, sample_request(), machine.view(), diagnostics);
  REQUIRE(diagnostics.size() == 1);
  CHECK(diagnostics[0].message == "what it checks is files in a directory, and disk data is one file");
}

TEST_CASE("verify plan: a check of a writer that this machine cannot run is skipped too") {
  Job job = sample_job();
  job.phases = {writer_phase("a"), check_phase("check", "a")};
  job.phases[0].engines = {{"none", {}}};
  job.phases[0].optional = true;
  const Plan plan = plan_of(job);
  CHECK(plan.phases.back().skip == "phase a, whose data it checks, is left out");
}

TEST_CASE("verify plan: two phases cannot have one manifest") {
  Job job = sample_job();
  job.phases = {writer_phase("a/b"), writer_phase("a-b")};
  Diagnostics diagnostics;
  make_plan(job, sample_request(), SampleMachine{}.view(), diagnostics);
  REQUIRE(diagnostics.size() == 1);
  CHECK(diagnostics[0].message.find("is that of phase 'a/b' too") != std::string::npos);
}

}  // namespace
}  // namespace diskproof
