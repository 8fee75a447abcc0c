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
           "aio 1.0", "lost: engine lost is not there", "read 100%", "1 threads x queue_depth 4", "4711",
           "2,500/s, evenly", "read.iops >= 1 (warn)", "layout writes 64 MiB", "estimated wall time 32 s"}) {
    CAPTURE(expected);
    CHECK(text.find(expected) != std::string::npos);
  }
  CHECK(layout_bytes(plan) == std::uint64_t{64} << 20);
  CHECK(planned_seconds(plan) == doctest::Approx(32));
}

}  // namespace
}  // namespace diskproof
