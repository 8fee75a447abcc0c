// A job made small: little data for a moment, and nothing that could fail but errors.
#include "plan/smoke.hpp"

#include <doctest/doctest.h>

#include "support/plan_samples.hpp"

namespace diskproof {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

Phase small(const Phase& phase, DiskKind kind = DiskKind::file) {
  Job job = sample_job(kind);
  job.phases = {phase};
  make_small(job);
  return job.phases[0];
}

TEST_CASE("smoke: sizes, times and counts have upper bounds, and what is smaller stays") {
  Phase phase = sample_phase("p");
  phase.size = Extent{.bytes = 1024 * kMiB, .percent = {}};
  phase.pause = std::chrono::seconds(5);
  phase.sample = std::chrono::seconds(1);
  phase.region = Region{.from = Extent{.bytes = 900 * kMiB, .percent = {}}, .size = {}};
  Phase made = small(phase);
  CHECK(made.size->bytes == 64 * kMiB);
  CHECK(made.region.from.bytes == 0);
  CHECK(made.stop.value == 1'000'000'000);
  CHECK(made.warmup == std::chrono::milliseconds(100));
  CHECK(made.pause.count() == 0);
  CHECK_FALSE(made.sample);

  phase.size = Extent{.bytes = {}, .percent = 100};  // of whatever is there
  CHECK(small(phase).size->bytes == 64 * kMiB);
  phase.stop = {.kind = StopRule::Kind::bytes, .value = 1024 * kMiB};
  CHECK(small(phase).stop.value == 64 * kMiB);
  phase.stop = {.kind = StopRule::Kind::operations, .value = 1'000'000};
  CHECK(small(phase).stop.value == 16384);
  phase.stop = {.kind = StopRule::Kind::operations, .value = 10};
  CHECK(small(phase).stop.value == 10);
  phase.size = Extent{.bytes = kMiB, .percent = {}};
  CHECK(small(phase).size->bytes == kMiB);
}

TEST_CASE("smoke: every thread has a block, and files of a directory share the bytes") {
  Phase phase = sample_phase("p");
  phase.size = Extent{.bytes = 4096 * kMiB, .percent = {}};
  phase.threads = 100;
  phase.block_size = kMiB;
  CHECK(small(phase).size->bytes == 100 * kMiB);
  CHECK(small(phase, DiskKind::directory).size->bytes == kMiB);
  phase.block_size = 4096;
  CHECK(small(phase, DiskKind::directory).size->bytes == 64 * kMiB / 100 / 4096 * 4096);
}

TEST_CASE("smoke: thresholds only warn, whatever they say, and nothing is aborted") {
  Phase phase = sample_phase("p");
  phase.thresholds = {{"read.iops >= 1", false}, {"read.iops >= 1 with fail", false}};
  phase.aborts = {"read.iops < 1 for 1s"};
  const Phase made = small(phase);
  CHECK(made.thresholds[0].warn);
  CHECK(made.thresholds[1].check == "read.iops >= 1 with warn");
  CHECK(made.aborts.empty());
}

}  // namespace
}  // namespace diskproof
