// Thresholds about intervals that a phase or a group cannot have.
#include <doctest/doctest.h>

#include "plan/gate_check.hpp"
#include "support/plan_samples.hpp"

namespace diskproof {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

std::string says(const Job& job) {
  Diagnostics diagnostics;
  check_gates(job, diagnostics);
  std::string text;
  for (const Diagnostic& one : diagnostics) text += one.path + ": " + one.message + "; " + one.hint + "\n";
  return text;
}

// A phase that reads for so many milliseconds.
Job reading_for(std::uint64_t ms, const std::string& check) {
  Job job = sample_job();
  job.phases[0].stop.value = ms * kMs;
  job.phases[0].thresholds = {{.check = check, .warn = false}};
  return job;
}

// Two at the same moment: `early` measures for `early_ms`, `late` from `warmup_ms` on for 100 ms.
Job beside(std::uint64_t early_ms, std::uint64_t warmup_ms, const std::string& check) {
  Job job = sample_job();
  job.phases = {sample_phase("early", "phases[0].parallel[0]"), sample_phase("late", "phases[0].parallel[1]")};
  for (Phase& phase : job.phases) phase.group = "both", phase.warmup = Nanoseconds(0);
  job.phases[0].stop.value = early_ms * kMs;
  job.phases[1].stop.value = 100 * kMs;
  job.phases[1].warmup = std::chrono::milliseconds(warmup_ms);
  Group group;
  group.path = "phases[0]";
  group.name = "both";
  group.phases = {0, 1};
  group.thresholds = {{check, false}};
  job.groups = {group};
  return job;
}

TEST_CASE("interval rules: a phase has the whole intervals that its thresholds are about") {
  struct Row {
    std::uint64_t ms;
    std::string check, says;
  };
  const std::string none = " can never be measured: the duration of 50 ms has no whole interval of 100 ms; ";
  for (const Row& row :
       {Row{100, "read.iops.min >= 1", ""}, Row{100, "read.iops >= 1 for 90% of intervals", ""},
        Row{200, "read.iops.cv <= 5%", ""}, Row{50, "read.iops >= 1", ""},
        Row{50, "read.iops.min >= 1",
            "'read.iops.min >= 1'" + none + "use a duration of 100 ms or more, or a `sample` of 50 ms or less"},
        Row{50, "read.iops >= 1 for 90% of intervals",
            "'read.iops >= 1 for 90% of intervals'" + none +
                "use a duration of 100 ms or more, or a `sample` of 50 ms or less"},
        Row{50, "read.iops.cv <= 5%",
            "'read.iops.cv <= 5%'" + none + "use a duration of 200 ms or more, or a `sample` of 25 ms or less"},
        Row{100, "read.iops.cv <= 5%",
            "'read.iops.cv <= 5%' can never be measured: the duration of 100 ms has one whole interval of 100 ms, and "
            "read.iops.cv needs two; use a duration of 200 ms or more, or a `sample` of 50 ms or less"},
        Row{1, "read.iops.cv <= 5%",
            "'read.iops.cv <= 5%' can never be measured: the duration of 1 ms has no whole interval of 100 ms; use a "
            "duration of 200 ms or more"}}) {
    CAPTURE(row.ms);
    CAPTURE(row.check);
    const std::string found = says(reading_for(row.ms, row.check));
    CHECK(found == (row.says.empty() ? "" : "phases[0].thresholds[0]: " + row.says + "\n"));
  }
}

TEST_CASE("interval rules: a sample that fits, or a stop rule that counts, is silent") {
  Job job = reading_for(50, "read.iops.min >= 1");
  job.phases[0].sample = std::chrono::milliseconds(50);
  CHECK(says(job) == "");
  job = reading_for(50, "read.iops.min >= 1");
  job.phases[0].stop = {.kind = StopRule::Kind::operations, .value = 1};
  CHECK(says(job) == "");
}

TEST_CASE("interval rules: another phase is asked for what it has") {
  Job job = reading_for(50, "read.iops >= 1");
  job.phases.push_back(sample_phase("after", "phases[1]"));
  job.phases[1].thresholds = {{"read.iops.min >= 90% of phase read", false}};
  CHECK(says(job) == "phases[1].thresholds[0]: phase read never measures read.iops.min; name a phase that does\n");
  job.phases[0].stop.value = 100 * kMs;
  CHECK(says(job) == "");
}

TEST_CASE("interval rules: phases of a group have the intervals of the group, an abort too") {
  Job job = beside(30'000, 0, "total.iops >= 1");
  job.phases[0].aborts = {"read.iops < 5 for 500ms"};
  job.phases[1].thresholds = {{"read.iops.min >= 1", false}};
  CHECK(says(job) == "");
  job.phases[0].sample = job.phases[1].sample = std::chrono::milliseconds(20);
  job.phases[1].thresholds = {{"read.iops.cv <= 5%", false}};
  CHECK(says(job) == "");
}

TEST_CASE("interval rules: a threshold of a group needs an interval that all of its phases have") {
  const std::string hint = "; use longer durations or a shorter warm-up, or give it to one of the group's phases\n";
  CHECK(says(beside(300, 200, "total.iops >= 1")) == "");
  CHECK(says(beside(100, 200, "total.iops >= 1")) ==
        "phases[0].thresholds[0]: 'total.iops >= 1' can never be measured: the phases have no whole interval of 100 ms "
        "in common: early ends 100 ms after the start, and late measures from 200 ms on" +
            hint);
  CHECK(says(beside(250, 200, "total.iops >= 1")).find("early ends 250 ms after the start") != std::string::npos);
  CHECK(says(beside(300, 200, "total.iops.cv <= 5%")) ==
        "phases[0].thresholds[0]: 'total.iops.cv <= 5%' can never be measured: the phases have one whole interval of "
        "100 ms in common, and total.iops.cv needs two" +
            hint);
  Job counted = beside(100, 200, "total.iops >= 1");
  counted.phases[0].stop = {.kind = StopRule::Kind::operations, .value = 1};
  CHECK(says(counted) == "");
}

}  // namespace
}  // namespace diskproof
