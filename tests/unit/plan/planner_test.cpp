// Defaults resolved, layout put in, machines too small refused.
#include "plan/planner.hpp"

#include <doctest/doctest.h>

#include "plan/outline.hpp"
#include "plan/plan_check.hpp"
#include "support/plan_samples.hpp"

namespace diskproof {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

Plan plan_of(const Job& job, const SampleMachine& machine = {}) {
  Diagnostics diagnostics;
  Plan plan = make_plan(job, sample_request(), machine.view(), diagnostics);
  CHECK(diagnostics.empty());
  CHECK(find_fault(plan) == "");
  return plan;
}

TEST_CASE("planner: a file is laid out before the first phase that needs it") {
  Job job = sample_job();
  job.phases.push_back(sample_phase("larger"));
  job.phases[1].size->bytes = 100 * kMiB + 1;
  const Plan plan = plan_of(job);
  REQUIRE(plan.phases.size() == 3);
  const PhasePlan& layout = plan.phases[0];
  CHECK(layout.name == "layout/data");
  CHECK(layout.kind == PhaseKind::layout);
  CHECK(layout.operations.write == 100);
  CHECK(layout.block_size == kMiB);
  CHECK(layout.queue_depth == 8);
  CHECK(layout.threads == 1);
  CHECK(layout.fsync.end);
  CHECK(layout.data.compressible == 0);
  CHECK(layout.region_size == 100 * kMiB + 4096);  // the largest that a phase needs, in whole 4 KiB
  CHECK(layout.stop.kind == StopRule::Kind::bytes);
  CHECK(layout.stop.value == layout.region_size);
  CHECK(layout.engine.name == "aio");
  CHECK(plan.disks[0].file_size == layout.region_size);
  CHECK(plan.disks[0].files == std::vector{native("/mnt/d/file.dat")});
  CHECK(plan.phases[1].needs == std::vector<std::string>{"layout/data"});
  CHECK(plan.phases[2].needs == std::vector<std::string>{"layout/data"});
  CHECK(plan.phases[1].targets[0].size == 64 * kMiB);
}

TEST_CASE("planner: a repeated phase is laid out once, and each of its runs has a seed of its own") {
  Job job = sample_job();
  job.phases[0].seed = 7;
  job.phases[0].repeat = {
      .count = 5, .interval = std::chrono::seconds(2), .discard = 1, .score = Score::best, .from_same_run = true};
  const Plan plan = plan_of(job);
  REQUIRE(plan.phases.size() == 2);
  CHECK(plan.phases[0].repeat.count == 1);
  const RepeatPlan& repeat = plan.phases[1].repeat;
  CHECK(repeat.count == 5);
  CHECK(repeat.interval == 2'000'000'000);
  CHECK(repeat.discard == 1);
  CHECK(repeat.score == Score::best);
  CHECK(repeat.from_same_run);
  CHECK(seed_of_run(7, 0) == 7);
  CHECK(seed_of_run(7, 1) == 0x63CBE1E459320DD7);
  CHECK(seed_of_run(7, 2) != seed_of_run(7, 1));
}

TEST_CASE("planner: layout stands where it is needed first, and not where nothing needs it") {
  Job job = sample_job();
  job.phases[0].layout = Layout::none;
  job.phases[0].operations = {.read = 0, .write = 100, .trim = 0};
  job.phases.push_back(sample_phase("reads"));
  const Plan plan = plan_of(job);
  REQUIRE(plan.phases.size() == 3);
  CHECK(plan.phases[0].name == "read");
  CHECK(plan.phases[0].needs.empty());
  CHECK(plan.phases[1].name == "layout/data");
  job.phases.pop_back();
  CHECK(plan_of(job).phases.size() == 1);
}

TEST_CASE("planner: written wins over allocated") {
  Job job = sample_job();
  job.phases[0].layout = Layout::allocated;
  CHECK(plan_of(job).phases[0].layout == Layout::allocated);
  job.phases.push_back(sample_phase("second"));
  CHECK(plan_of(job).phases[0].layout == Layout::written);
}

TEST_CASE("planner: a directory has one file per thread in a folder of the run") {
  Job job = sample_job(DiskKind::directory);
  job.disks[0].subdirectory = "sub/deep";
  job.phases[0].threads = 3;
  const Plan plan = plan_of(job);
  CHECK(plan.disks[0].work_path == native("/mnt/d/sub/deep/diskproof-run-1"));
  REQUIRE(plan.disks[0].files.size() == 3);
  CHECK(plan.disks[0].files[2] == native("/mnt/d/sub/deep/diskproof-run-1/t2.dat"));
  CHECK(plan.phases[0].threads == 3);
  CHECK(plan.phases[0].stop.value == 3 * 64 * kMiB);
  CHECK(plan.phases[1].targets.size() == 3);
}

TEST_CASE("planner: kept folders are named after job and disk") {
  Job job = sample_job(DiskKind::directory);
  job.name = "night ly/x";
  job.disks[0].keep = true;
  CHECK(plan_of(job).disks[0].work_path == native("/mnt/d/diskproof-night-ly-x-data"));
}

TEST_CASE("planner: a rate becomes operations per second") {
  struct Row {
    const char* name;
    LoadRate rate;
    double expected;
  };
  // 70 % reads at most 14,000/s of them let 20,000/s pass in all, 4 KiB each at 40.96 MB/s 10,000/s.
  const std::vector<LimitGroup> limits{{"", {{"read.iops", 14000}}}, {"link", {{"total.bandwidth", 40.96e6}}}};
  for (const Row& row : {Row{"number", {.iops = RateValue{1234.5, false}, .bandwidth = {}}, 1234.5},
                         {"bandwidth", {.iops = {}, .bandwidth = RateValue{4.096e6, false}}, 1000},
                         {"share of iops", {.iops = RateValue{80, true}, .bandwidth = {}}, 8000},
                         {"share of bandwidth", {.iops = {}, .bandwidth = RateValue{50, true}}, 5000}}) {
    CAPTURE(row.name);
    Job job = sample_job();
    job.phases[0].operations = {.read = 70, .write = 30, .trim = 0};
    job.phases[0].limits = limits;
    job.phases[0].rate = row.rate;
    const Plan plan = plan_of(job);
    CHECK(plan.phases[0].rate == 0);  // layout
    CHECK(plan.phases[1].rate == doctest::Approx(row.expected));
  }
  CHECK(plan_of(sample_job()).phases[1].rate == 0);
}

TEST_CASE("planner: relative targets are below the working directory") {
  Job job = sample_job();
  job.disks[0].path = "./here/../f.dat";
  CHECK(plan_of(job).disks[0].files[0] == native("/work-here/f.dat"));
}

TEST_CASE("planner: a virtual disk is whole, not direct and not laid out") {
  const Plan plan = plan_of(sample_job(DiskKind::virtual_disk));
  REQUIRE(plan.phases.size() == 1);
  CHECK_FALSE(plan.phases[0].direct);
  CHECK(plan.phases[0].layout == Layout::none);
  CHECK(plan.phases[0].region_size == std::uint64_t{1} << 40);
  CHECK(plan.phases[0].targets[0].spec == "data");
  CHECK(plan.disks[0].files.empty());
}

TEST_CASE("planner: regions in percent are whole blocks") {
  Job job = sample_job();
  job.phases[0].size->bytes = 10 * kMiB;
  job.phases[0].region.from = {.bytes = {}, .percent = 33.3};
  job.phases[0].region.size = Extent{.bytes = kMiB, .percent = {}};
  const PhasePlan phase = plan_of(job).phases[1];
  CHECK(phase.region_from == 3489792 / 4096 * 4096);
  CHECK(phase.region_size == kMiB);
}

TEST_CASE("planner: a sync engine lays out at depth 1") {
  Job job = sample_job();
  job.phases[0].engines = {{"sync", {}}};
  job.phases[0].queue_depth = 1;
  const Plan plan = plan_of(job);
  CHECK(plan.phases[0].engine.sync);
  CHECK(plan.phases[0].queue_depth == 1);
}

TEST_CASE("planner: layout makes do with the memory there is") {
  Job job = sample_job(DiskKind::directory);
  job.phases[0].threads = 4;
  job.memory_limit = 10 * kMiB;
  CHECK(plan_of(job).phases[0].queue_depth == 2);
}

TEST_CASE("planner: seeds are the job's or fresh ones, bounds are those of intervals") {
  Job job = sample_job();
  job.phases[0].thresholds = {{"read.latency.p99 <= 5ms for 90% of intervals", false},
                              {"read.latency.max <= 1ms for 90% of intervals", false},
                              {"read.latency.p99 <= 7ms", false}};
  job.phases.push_back(sample_phase("seeded"));
  job.phases[1].seed = 5;
  const Plan plan = plan_of(job);
  CHECK(plan.phases[1].seed == 4711);
  CHECK(plan.phases[2].seed == 5);
  CHECK(plan.phases[1].latency_bounds == std::vector<std::uint64_t>{1'000'000, 5'000'000});
}

TEST_CASE("planner: threads are kept on the CPUs listed, where this process may use them") {
  Job job = sample_job();
  job.phases[0].threads = 3;
  job.phases[0].cpus = {3, 1};
  Plan plan = plan_of(job);
  CHECK(plan.phases[0].cpus.empty());  // layout is not measured
  CHECK(plan.phases[1].cpus == std::vector<std::uint32_t>{3, 1});
  job.phases[0].cpus = {3, 4, 5, 9};
  try {
    plan_of(job);
    FAIL("CPU 4 is not there");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::unavailable);
    CHECK(std::string(error.what()) ==
          "phase read: `cpus` asks for CPU 4-5, 9, which this process may not use or this machine does not have; it "
          "may use CPU 0-3");
  }
}

TEST_CASE("planner: small buffers take a page each") {
  Job job = sample_job();
  job.memory_limit = 16 * kMiB;
  job.phases[0].block_size = 512;
  job.phases[0].queue_depth = 1024;
  job.phases[0].threads = 4;
  CHECK_NOTHROW(plan_of(job));
  job.phases[0].threads = 5;
  CHECK_THROWS_AS(plan_of(job), Error);
}

TEST_CASE("planner: buffers beyond the memory limit are refused with the numbers") {
  SampleMachine machine;
  machine.memory = 64 * kMiB;  // a quarter is 16 MiB
  Job job = sample_job();
  job.phases[0].block_size = kMiB;
  job.phases[0].queue_depth = 17;
  Diagnostics diagnostics;
  try {
    make_plan(job, sample_request(), machine.view(), diagnostics);
    FAIL("17 MiB of buffers do not fit into 16 MiB");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::unavailable);
    const std::string text = error.what();
    CHECK(text.find("1 thread x queue_depth 17 x 1 MiB need 17 MiB") != std::string::npos);
    CHECK(text.find("16 MiB") != std::string::npos);
  }
  job.phases[0].queue_depth = 16;
  CHECK(plan_of(job, machine).memory_limit == 16 * kMiB);
}

TEST_CASE("planner: what is wrong on every machine is a diagnostic") {
  struct Row {
    const char* name;
    void (*spoil)(Job&);
    const char* path;
  };
  for (const Row& row :
       {Row{"two disks, one file",
            [](Job& job) {
              job.disks.push_back(job.disks[0]), job.disks[1].name = "other", job.disks[1].path = "/mnt/d/./file.dat",
                                                 job.phases.push_back(sample_phase("second")),
                                                 job.phases[1].disk = "other";
            },
            "disks.other"},
        {"unaligned region", [](Job& job) { job.phases[0].region.from = {.bytes = 100, .percent = {}}; },
         "phases[0].region.from"},
        {"nothing to allocate",
         [](Job& job) { job = sample_job(DiskKind::virtual_disk), job.phases[0].layout = Layout::allocated; },
         "phases[0].layout"}}) {
    CAPTURE(row.name);
    Job job = sample_job();
    row.spoil(job);
    Diagnostics diagnostics;
    make_plan(job, sample_request(), SampleMachine{}.view(), diagnostics);
    REQUIRE(diagnostics.size() == 1);
    CHECK(diagnostics[0].path == row.path);
  }
}

TEST_CASE("planner: the outline has the phases of the plan in the same order") {
  Job job = sample_job();
  job.phases[0].layout = Layout::none;
  job.phases[0].operations = {.read = 0, .write = 100, .trim = 0};
  job.phases.push_back(sample_phase("reads"));
  job.phases.push_back(sample_phase("again"));
  const Plan plan = plan_of(job);
  const Plan outline = outline_plan(job, sample_request());
  REQUIRE(outline.phases.size() == plan.phases.size());
  for (std::size_t i = 0; i < plan.phases.size(); ++i) {
    CHECK(outline.phases[i].name == plan.phases[i].name);
    CHECK(outline.phases[i].kind == plan.phases[i].kind);
  }
}

TEST_CASE("planner: what a phase writes shapes its layout too, and reads make nothing durable") {
  Job job = sample_job();
  job.phases[0].data = {.compressible = 50, .dedupe = 30};
  job.phases[0].sync = Durability::dsync;
  job.phases[0].fsync = {.every = 4, .end = true, .data_only = false};
  Diagnostics diagnostics;
  Plan plan = make_plan(job, sample_request(), SampleMachine{}.view(), diagnostics);
  REQUIRE(plan.phases.size() == 2);
  CHECK(plan.phases[0].data.compressible == 50);
  CHECK(plan.phases[0].data.dedupe == 30);
  CHECK(plan.phases[1].sync == Durability::none);
  CHECK_FALSE(plan.phases[1].fsync.wanted());
  job.phases[0].operations = {.read = 0, .write = 100, .trim = 0};
  plan = make_plan(job, sample_request(), SampleMachine{}.view(), diagnostics);
  CHECK(plan.phases[0].sync == Durability::none);  // the layout is flushed at its end
  CHECK(plan.phases[1].sync == Durability::dsync);
  CHECK(plan.phases[1].fsync.every == 4);
  CHECK(diagnostics.empty());
}

TEST_CASE("planner: thought and mean blocks are in the timeout of a count") {
  Job job = sample_job(DiskKind::virtual_disk);
  job.phases[0].warmup = {};
  job.phases[0].stop = {.kind = StopRule::Kind::operations, .value = 400};
  job.phases[0].think_time = std::chrono::seconds(10);  // 4 places: 100 rounds of 10 s
  Diagnostics diagnostics;
  CHECK(make_plan(job, sample_request(), SampleMachine{}.view(), diagnostics).phases[0].timeout ==
        (60 + 2000 + 1) * std::uint64_t{1'000'000'000});
  job.phases[0].think_time = {};
  job.phases[0].stop = {.kind = StopRule::Kind::bytes, .value = 20'000 * 1024};
  job.phases[0].block_size = 3072;
  job.phases[0].block_sizes = {{1024, 50}, {3072, 50}};  // 2 KiB on average: 10,000 operations
  CHECK(make_plan(job, sample_request(), SampleMachine{}.view(), diagnostics).phases[0].timeout ==
        (60 + 500) * std::uint64_t{1'000'000'000});
}

TEST_CASE("planner: threads share so many files in turns") {
  Job job = sample_job(DiskKind::directory);
  job.phases[0].threads = 5;
  job.phases[0].files = 2;
  job.phases.push_back(sample_phase("alone"));
  job.phases[1].threads = 3;
  Diagnostics diagnostics;
  const Plan plan = make_plan(job, sample_request(), SampleMachine{}.view(), diagnostics);
  CHECK(diagnostics.empty());
  REQUIRE(plan.phases.size() == 3);
  CHECK(plan.disks[0].files.size() == 3);
  CHECK(plan.phases[0].targets.size() == 3);  // the layout makes them all
  CHECK(plan.phases[1].targets.size() == 2);
  CHECK(plan.phases[1].threads == 5);
  CHECK(plan.phases[2].targets.size() == 3);
}

TEST_CASE("planner: a share of a file or directory is of what the machine has") {
  for (const DiskKind kind : {DiskKind::file, DiskKind::directory}) {
    Job job = sample_job(kind);
    job.phases[0].size = Extent{.bytes = {}, .percent = 50};
    job.phases[0].region = {.from = {.bytes = {}, .percent = 10}, .size = {}};
    SampleMachine machine;
    machine.whole_size = 100 * 4096;
    Diagnostics diagnostics;
    const Plan plan = make_plan(job, sample_request(), machine.view(), diagnostics);
    CHECK(diagnostics.empty());
    CHECK(plan.disks[0].file_size == 50 * 4096);
    CHECK(plan.disks[0].capacity == 0);
    REQUIRE(plan.phases.size() == 2);
    CHECK(plan.phases[1].targets[0].size == 50 * 4096);
    CHECK(plan.phases[1].region_from == 5 * 4096);
    CHECK(plan.phases[1].region_size == 45 * 4096);
    machine.whole_size = 4096;  // half of it holds no block
    CHECK_THROWS_AS(make_plan(job, sample_request(), machine.view(), diagnostics), Error);
  }
}

}  // namespace
}  // namespace diskproof
