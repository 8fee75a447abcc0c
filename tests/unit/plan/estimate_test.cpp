// What can be known of time and bytes before a run: a number, bounds, or nothing.
#include "plan/estimate.hpp"

#include <doctest/doctest.h>

#include "plan/planner.hpp"
#include "support/plan_samples.hpp"

namespace diskproof {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kSecond = 1'000'000'000;

struct Texts {
  std::string time, written;
};

Texts texts_of(Job job) {
  Diagnostics diagnostics;
  const Plan plan = make_plan(job, sample_request(), SampleMachine{}.view(), diagnostics);
  const Estimate sums = estimate(plan);
  return {time_text(sums.time), bytes_text(sums.disks.at(0).written)};
}

TEST_CASE("estimate: a layout is exact, a closed loop of writes can write anything") {
  Job job = sample_job();
  CHECK(texts_of(job).written == "64 MiB");
  job.phases[0].operations = {.read = 0, .write = 100, .trim = 0};
  CHECK(texts_of(job).written == "at least 64 MiB");
  job.disks[0].keep = true;  // its files may be there already
  CHECK(texts_of(job).written == "unknown");
}

TEST_CASE("estimate: sums and products stop at the most there is") {
  constexpr std::uint64_t kMost = INT64_MAX;
  Range range{kMost - 1, kMost - 1};
  range += {5, 5};
  CHECK(range.least == kMost);
  CHECK(range.most == kMost);
  range *= 1000;
  CHECK(range.least == kMost);
  Job job = sample_job(DiskKind::virtual_disk);
  job.phases[0].pause = std::chrono::hours(8760);
  job.phases[0].repeat = {.count = 100'000, .interval = std::chrono::hours(8760)};
  CHECK(texts_of(job).time == time_text({kMost, kMost}));
}

TEST_CASE("estimate: counts are exact, and what a rate may write has an upper bound") {
  Job job = sample_job();
  job.phases[0].layout = Layout::none;
  job.phases[0].operations = {.read = 0, .write = 100, .trim = 0};
  job.phases[0].warmup = Nanoseconds(0);
  job.phases[0].stop = {.kind = StopRule::Kind::bytes, .value = 3 * kMiB};
  CHECK(texts_of(job).written == "3 MiB");
  job.phases[0].stop = {.kind = StopRule::Kind::operations, .value = 256};
  CHECK(texts_of(job).written == "1 MiB");
  job.phases[0].operations = {.read = 50, .write = 50, .trim = 0};
  CHECK(texts_of(job).written == "at most 1 MiB");
  job.phases[0].stop = {.kind = StopRule::Kind::duration, .value = 10 * kSecond};
  job.phases[0].rate = LoadRate{.iops = RateValue{1024, false}, .bandwidth = {}};
  CHECK(texts_of(job).written.starts_with("at most 40"));
}

TEST_CASE("estimate: time is pause, warm-up and duration, and what counts is bounded by its timeout and one I/O") {
  Job job = sample_job(DiskKind::virtual_disk);
  job.phases[0].pause = std::chrono::seconds(5);
  CHECK(texts_of(job).time == "37 s");
  job.phases[0].repeat.count = 3;
  job.phases[0].repeat.interval = std::chrono::seconds(1);
  CHECK(texts_of(job).time == "103 s");
  job.phases[0].repeat = {};
  job.phases[0].stop = {.kind = StopRule::Kind::operations, .value = 1000};
  job.phases[0].timeout = std::chrono::minutes(2);
  CHECK(texts_of(job).time == "7 s to 3 min 5 s");
  job.timeout = std::chrono::seconds(60);
  CHECK(texts_of(job).time == "7 s to 2 min");
}

TEST_CASE("estimate: a phase that may be ended early has no lower bound, a skipped one has nothing") {
  Job job = sample_job(DiskKind::virtual_disk);
  job.phases[0].aborts = {"read.iops < 1 for 1s"};
  CHECK(texts_of(job).time == "2 s to 32 s");
  Diagnostics diagnostics;
  Plan plan = make_plan(job, sample_request(), SampleMachine{}.view(), diagnostics);
  plan.phases[0].skip = "left out";
  CHECK(time_text(estimate(plan).time) == "0 ns");
}

}  // namespace
}  // namespace diskproof
