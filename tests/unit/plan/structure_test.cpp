// What surrounds phases in a plan: preconditions, what is required, what is left out, what may be written.
#include <doctest/doctest.h>

#include "plan/plan_check.hpp"
#include "plan/planner.hpp"
#include "support/plan_samples.hpp"

namespace diskproof {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

std::string names(const Plan& plan) {
  std::string text;
  for (const PhasePlan& phase : plan.phases) {
    text += (text.empty() ? "" : " ") + phase.name + (phase.skip.empty() ? "" : "(skipped)");
  }
  return text;
}

Plan plan_of(const Job& job, PlanRequest request = sample_request()) {
  Diagnostics diagnostics;
  Plan plan = make_plan(job, request, SampleMachine{}.view(), diagnostics);
  const std::string fault = diagnostics.empty() ? find_fault(plan) : diagnostics.front().message;
  CHECK(fault == "");
  return plan;
}

Job three_phases() {
  Job job = sample_job();
  job.phases = {sample_phase("a"), sample_phase("b/x=1"), sample_phase("b/x=2")};
  return job;
}

TEST_CASE("structure: a precondition is phases of its own between the layout and its phase") {
  Job job = sample_job();
  job.phases[0].precondition = Precondition{.sequential = 2, .random = 1, .block_size = 128 * 1024};
  job.phases[0].pause = std::chrono::seconds(5);
  job.phases[0].region =
      Region{.from = Extent{.bytes = kMiB, .percent = {}}, .size = Extent{.bytes = kMiB + 4096, .percent = {}}};
  const Plan plan = plan_of(job);
  CHECK(names(plan) == "layout/data read/precondition/sequential read/precondition/random read");
  const PhasePlan& sequential = plan.phases[1];
  CHECK(sequential.kind == PhaseKind::precondition);
  CHECK(sequential.operations.write == 100);
  CHECK(sequential.stop.kind == StopRule::Kind::bytes);
  CHECK(sequential.stop.value == 2 * kMiB);  // whole blocks
  CHECK(sequential.region_from == kMiB);
  CHECK(sequential.pause == 5'000'000'000);
  CHECK(plan.phases[2].access == Access::random);
  CHECK(plan.phases[2].stop.value == kMiB);
  CHECK(plan.phases[2].pause == 0);
  CHECK(plan.phases[2].needs == std::vector<std::string>{"layout/data", "read/precondition/sequential"});
  CHECK(plan.phases[3].pause == 0);
  CHECK(plan.phases[3].needs ==
        std::vector<std::string>{"layout/data", "read/precondition/sequential", "read/precondition/random"});
}

TEST_CASE("structure: a phase without a stop rule is its precondition, and can be required") {
  Job job = sample_job();
  job.phases = {sample_phase("fill"), sample_phase("read")};
  job.phases[0].precondition = Precondition{.sequential = 1};
  job.phases[0].only_precondition = true;
  job.phases[0].stop = {};
  job.phases[1].required = {"fill"};
  const Plan plan = plan_of(job);
  CHECK(names(plan) == "layout/data fill/precondition/sequential read");
  CHECK(plan.phases[2].required == std::vector<std::string>{"fill/precondition/sequential"});
}

TEST_CASE("structure: a name that is required stands for all its cells") {
  Job job = three_phases();
  job.phases.push_back(sample_phase("last"));
  job.phases.back().required = {"a", "b"};
  CHECK(plan_of(job).phases.back().required == std::vector<std::string>{"a", "b/x=1", "b/x=2"});
}

TEST_CASE("structure: what an optional phase lacks skips it, and every test case stays") {
  Job job = three_phases();
  job.phases[0].optional = true;
  job.phases[0].engines = {{"lost", {}}};
  job.phases[0].precondition = Precondition{.random = 1};
  Plan plan = plan_of(job);
  CHECK(names(plan) == "a/precondition/random(skipped) a(skipped) layout/data b/x=1 b/x=2");
  CHECK(plan.phases[1].skip.find("engine lost is not there") != std::string::npos);
  job.phases = {job.phases[0]};
  plan = plan_of(job);
  CHECK(names(plan) == "layout/data(skipped) a/precondition/random(skipped) a(skipped)");
  CHECK(plan.disks[0].files.size() == 1);
  job.phases[0].optional = false;
  Diagnostics diagnostics;
  CHECK_THROWS_AS(make_plan(job, sample_request(), SampleMachine{}.view(), diagnostics), Error);
}

TEST_CASE("structure: --only leaves out the others, their files too, and nothing waits for them") {
  Job job = three_phases();
  job.phases[0].size = Extent{.bytes = 1024 * kMiB, .percent = {}};
  job.phases[2].required = {"a", "b/x=1"};
  PlanRequest request = sample_request();
  request.only = {"b"};
  Plan plan = plan_of(job, request);
  CHECK(names(plan) == "a(skipped) layout/data b/x=1 b/x=2");
  CHECK(plan.disks[0].file_size == 64 * kMiB);
  CHECK(plan.phases[3].required == std::vector<std::string>{"b/x=1"});
  request.only = {"b/x=2", "a"};
  CHECK(names(plan_of(job, request)) == "layout/data a b/x=1(skipped) b/x=2");
}

TEST_CASE("structure: --only with an exact name is that phase alone") {
  Job job = three_phases();
  job.phases[2].name = "a/x";
  PlanRequest request = sample_request();
  request.only = {"a"};
  CHECK(names(plan_of(job, request)) == "layout/data a b/x=1(skipped) a/x(skipped)");
  request.only = {"a/x"};
  CHECK(names(plan_of(job, request)) == "a(skipped) b/x=1(skipped) layout/data a/x");
}

TEST_CASE("structure: what is certain to be written must be within max_written") {
  Job job = sample_job();
  job.max_written = 64 * kMiB;
  CHECK(plan_of(job).max_written == 64 * kMiB);
  job.max_written = 64 * kMiB - 1;
  job.source.add("max_written", {.line = 3, .column = 1});
  Diagnostics diagnostics;
  (void)make_plan(job, sample_request(), SampleMachine{}.view(), diagnostics);
  REQUIRE(diagnostics.size() == 1);
  CHECK(diagnostics[0].at.line == 3);
  CHECK(diagnostics[0].message.find("but the phases write 64 MiB: layout/data 64 MiB") != std::string::npos);
}

}  // namespace
}  // namespace diskproof
