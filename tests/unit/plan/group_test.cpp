// Groups of phases in the plan: what stands where, what they share, and what cannot be.
#include <doctest/doctest.h>

#include "plan/estimate.hpp"
#include "plan/gate_check.hpp"
#include "plan/outline.hpp"
#include "plan/plan_check.hpp"
#include "plan/plan_printer.hpp"
#include "support/plan_samples.hpp"

namespace diskproof {
namespace {

using std::chrono::seconds;

// A phase alone, then a group of two: one for 30 s on the disk `data`, one for 5 s on `other`.
Job group_job(bool rounds) {
  Job job = sample_job();
  job.disks.push_back(sample_disk(DiskKind::file));
  job.disks[1].name = "other";
  job.disks[1].path = "/mnt/d/other.dat";
  job.phases.push_back(sample_phase("long", "phases[1].parallel[0]"));
  job.phases.push_back(sample_phase("short", "phases[1].parallel[1]"));
  job.phases[2].disk = "other";
  job.phases[2].stop.value = 5'000'000'000;
  Group group;
  group.path = "phases[1]";
  group.name = "both";
  group.rounds = rounds;
  group.phases = {1, 2};
  group.timeout = seconds(90);
  group.thresholds = {{"read.iops >= 100", false}};
  if (rounds) group.thresholds.clear();
  for (const std::size_t i : {1U, 2U}) {
    job.phases[i].group = "both";
    if (rounds) job.phases[i].repeat = {.count = 3, .interval = seconds(2)};
  }
  job.groups = {group};
  return job;
}

Plan plan_of(const Job& job) {
  Diagnostics diagnostics;
  Plan plan = make_plan(job, sample_request(), SampleMachine{}.view(), diagnostics);
  CHECK(diagnostics.empty());
  CHECK(find_fault(plan) == "");
  return plan;
}

std::vector<std::string> names_of(const Plan& plan) {
  std::vector<std::string> names;
  for (const PhasePlan& phase : plan.phases) names.push_back(phase.name);
  return names;
}

Diagnostics gates_of(const Job& job) {
  Diagnostics diagnostics;
  check_gates(job, diagnostics);
  return diagnostics;
}

TEST_CASE("groups: layouts stand before the group, its phases together, and its entry behind them") {
  for (const bool rounds : {false, true}) {
    CAPTURE(rounds);
    const Job job = group_job(rounds);
    const Plan plan = plan_of(job);
    CHECK(names_of(plan) == std::vector<std::string>{"layout/data", "read", "layout/other", "long", "short", "both"});
    CHECK(names_of(outline_plan(job, sample_request())) == names_of(plan));
    const PhasePlan& group = plan.phases[5];
    CHECK(group.kind == PhaseKind::group);
    CHECK(group.members == std::vector<std::string>{"long", "short"});
    CHECK(group.parallel == !rounds);
    CHECK(group.timeout == 90'000'000'000);
    CHECK(group.disk == "");
    CHECK(plan.phases[3].group == "both");
    CHECK(plan.phases[1].group == "");
  }
}

TEST_CASE("groups: phases that run at the same time have one grid, the finest") {
  Job job = group_job(false);
  CHECK(plan_of(job).phases[3].interval_grid == 100'000'000);
  CHECK(plan_of(job).phases[4].interval_grid == 100'000'000);
  CHECK(plan_of(job).phases[5].interval_grid == 100'000'000);
  job.phases[1].sample = job.phases[2].sample = seconds(1);
  CHECK(plan_of(job).phases[4].interval_grid == 1'000'000'000);
  CHECK(plan_of(group_job(true)).phases[3].interval_grid == 1'000'000'000);  // in turns each has its own
}

TEST_CASE("groups: limits are the group's where all phases have the same disk and limits") {
  Job job = group_job(false);
  for (Phase& phase : job.phases) phase.limits = {{"", {{"read.iops", 200}}}};
  CHECK(plan_of(job).phases[5].limits.empty());
  job.phases[2].disk = "data";
  const Plan plan = plan_of(job);
  CHECK(plan.phases.back().disk == "data");
  REQUIRE(plan.phases.back().limits.size() == 1);
  CHECK(plan.phases.back().limits[0].values.at("read.iops") == 200);
}

TEST_CASE("groups: buffers of phases that run at the same time are summed") {
  Job job = group_job(false);
  for (Phase& phase : job.phases) phase.block_size = std::uint64_t{1} << 20;
  job.memory_limit = (std::uint64_t{8} << 20) - 1;
  Diagnostics diagnostics;
  const SampleMachine machine;
  CHECK_THROWS_WITH_AS(make_plan(job, sample_request(), machine.view(), diagnostics),
                       "group both: its 2 phases together need 8 MiB of buffers, more than the memory_limit of 8 MiB; "
                       "use fewer threads, depths or phases, or set `memory_limit`",
                       Error);
  const std::uint64_t limit = *job.memory_limit;
  job = group_job(true);
  for (Phase& phase : job.phases) phase.block_size = std::uint64_t{1} << 20;
  job.memory_limit = limit;
  CHECK_NOTHROW(make_plan(job, sample_request(), machine.view(), diagnostics));
}

TEST_CASE("groups: the plan counts phases at the same time once, and those in turns each time") {
  CHECK(estimate(plan_of(group_job(false))).time.least / 1'000'000'000 == 32 + 32);
  CHECK(estimate(plan_of(group_job(true))).time.least / 1'000'000'000 == 32 + 3 * (32 + 7) + 2 * 2);
}

TEST_CASE("groups: the plan counts the longest pause once, before the group") {
  for (const bool rounds : {false, true}) {
    CAPTURE(rounds);
    Job job = group_job(rounds);
    const std::uint64_t busy = estimate(plan_of(job)).time.least;
    job.phases[1].pause = seconds(3);
    job.phases[2].pause = seconds(40);  // of the shorter one
    CHECK((estimate(plan_of(job)).time.least - busy) / 1'000'000'000 == 40);
  }
}

TEST_CASE("groups: a group that is not behind its phases is no plan") {
  Plan plan = plan_of(group_job(false));
  plan.phases[5].members = {"long"};
  CHECK(find_fault(plan) == "phases[5] (both): its phase long is not before it");
  plan = plan_of(group_job(false));
  plan.phases[4].interval_grid *= 2;
  CHECK(find_fault(plan) == "phases[5] (both): its phases have different intervals");
  plan = plan_of(group_job(false));
  plan.phases[4].repeat.count = 2;
  CHECK(find_fault(plan) == "phases[5] (both): its phase short runs more than once");
}

TEST_CASE("groups: a group's thresholds are those that the common window can answer") {
  struct Row {
    const char* check;
    const char* message;  // empty: good
  };
  for (const Row& row :
       {Row{"read.iops >= 1 for 90% of intervals", ""},
        {"total.latency.mean <= 1s", ""},
        {"read.latency.max <= 1s", ""},
        {"total.errors == 0", ""},
        {"read.latency.p99 <= 1s", "cannot be judged over the time that the phases have in common"},
        {"total.stall.max <= 1s", "cannot be judged over the time that the phases have in common"},
        {"merged.read.operations >= 1", "cannot be judged over the time that the phases have in common"},
        {"write.iops >= 1", "no phase of the group issues write operations"},
        {"read.iops >= 90% of limit", "no limit that all phases of the group share applies to read.iops"},
        {"read.iops >= 90% of phase a", "compares with another phase, which only a phase can"},
        {"read.iosp >= 1", "'read.iosp' is not a metric"}}) {
    CAPTURE(row.check);
    Job job = group_job(false);
    job.groups[0].thresholds = {{row.check, false}};
    const Diagnostics diagnostics = gates_of(job);
    REQUIRE(diagnostics.size() == (*row.message == 0 ? 0 : 1));
    if (*row.message == 0) continue;
    CHECK(diagnostics[0].path == "phases[1].thresholds[0]");
    CHECK(diagnostics[0].message.find(row.message) != std::string::npos);
  }
}

TEST_CASE("groups: phases whose intervals could not be summed are refused") {
  Job job = group_job(false);
  job.phases[2].warmup += std::chrono::milliseconds(150);
  REQUIRE(gates_of(job).size() == 1);
  CHECK(gates_of(job)[0].path == "phases[1].parallel[1].warmup");
  job.phases[2].warmup += std::chrono::milliseconds(50);
  CHECK(gates_of(job).empty());
  job.phases[1].sample = seconds(2);
  job.phases[2].sample = seconds(1);
  job.phases[2].warmup = job.phases[1].warmup;
  REQUIRE(gates_of(job).size() == 1);
  CHECK(gates_of(job)[0].path == "phases[1].parallel[0].sample");
}

}  // namespace
}  // namespace diskproof
