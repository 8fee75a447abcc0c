// What a person can read off a plan.
#include "plan/plan_printer.hpp"

#include <doctest/doctest.h>

#include "plan/planner.hpp"
#include "support/plan_samples.hpp"

namespace diskproof {
namespace {

TEST_CASE("plan printer: files, engines, bytes and time are there") {
  Job job = sample_job();
  job.phases[0].engines = {{"lost", {}}, {"aio", {}}};
  job.phases[0].thresholds = {{"read.iops >= 1", true}};
  job.phases[0].rate = LoadRate{.iops = RateValue{2500, false}, .bandwidth = {}};
  Diagnostics diagnostics;
  const Plan plan = make_plan(job, sample_request(), SampleMachine{}.view(), diagnostics);
  const std::string text = print_plan(plan);
  for (const std::string& expected : std::vector<std::string>{
           native("/mnt/d/file.dat") + ", 64 MiB", "1. layout/data (layout) on data", "2. read (measure) on data",
           "aio 1.0", "lost: engine lost is not there", "read 100%", "1 thread x queue_depth 4", "4711",
           "2,500/s, evenly", "read.iops >= 1 (warn)", "written      64 MiB to data", "wall time    32 s to "}) {
    CAPTURE(expected);
    CHECK(text.find(expected) != std::string::npos);
  }
}

TEST_CASE("plan printer: how the load is made and what it writes") {
  Job job = sample_job();
  Phase& phase = job.phases[0];
  phase.operations = {.read = 60, .write = 30, .trim = 10};
  phase.engines = {{"null", {}}};
  job.disks[0] = sample_disk(DiskKind::virtual_disk);
  SampleMachine machine;
  machine.engines["null"].operations |= 1u << DP_OP_TRIM | 1u << DP_OP_FDATASYNC;
  const auto printed = [&] {
    Diagnostics diagnostics;
    const std::string text = print_plan(make_plan(job, sample_request(), machine.view(), diagnostics));
    CHECK(diagnostics.empty());
    return text;
  };
  phase.rate = LoadRate{.iops = RateValue{50, false}, .bandwidth = {}, .arrival = Arrival::poisson};
  CHECK(printed().find("50/s on average, at random distances (Poisson)") != std::string::npos);
  phase.rate.reset();
  phase.think_time = std::chrono::milliseconds(3);
  phase.sync = Durability::dsync;
  phase.fsync = {.every = 32, .end = true, .data_only = true};
  phase.data = {.compressible = 50, .dedupe = 12.5};
  const std::string text = printed();
  for (const std::string& expected : std::vector<std::string>{
           "read 60%, write 30%, trim 10%", "3 ms after each completion", "dsync",
           "fdatasync after every 32 writes of a thread and at the end", "50% compressible, 12.5% dedupable"}) {
    CAPTURE(expected);
    CHECK(text.find(expected) != std::string::npos);
  }
}

TEST_CASE("plan printer: a seed that the run will draw is not made up, and options have their units") {
  SampleMachine machine;
  EngineOption option;
  option.name = "wait";
  option.type = DP_OPTION_DURATION;
  option.default_value = "5000000";
  machine.engines["aio"].options = {option};
  Job job = sample_job();
  PlanRequest request = sample_request();
  request.fresh_seed = [] { return kSeedOfTheRun; };
  Diagnostics diagnostics;
  const auto show = [&] {
    return print_plan(make_plan(job, request, machine.view(), diagnostics),
                      [](const EnginePlan&, const std::string& name, const std::string& value) {
                        CHECK(name == "wait");
                        return value + " ns";
                      });
  };
  CHECK(show().find("seed         a fresh one in each run\n") != std::string::npos);
  CHECK(show().find("option     wait: 5000000 ns\n") != std::string::npos);
  CHECK(show().find(std::to_string(kSeedOfTheRun)) == std::string::npos);
  job.phases[0].seed = 7;
  CHECK(show().find("seed         7\n") != std::string::npos);
}

}  // namespace
}  // namespace diskproof
