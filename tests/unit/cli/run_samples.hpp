// Results of phases that were never run.
#pragma once

#include <memory>

#include "cli/judge_phase.hpp"
#include "exec/phase_runner.hpp"
#include "support/plan_samples.hpp"

namespace diskproof {

// 1 s window, `operations` reads of 4 KiB and 1 ms each, one after the other at depth 4.
inline PhaseResult sample_result(std::uint64_t operations) {
  auto data = std::make_shared<RunData>();
  data->window_end = 1'000'000'000;
  data->interval_grid = 1'000'000'000;
  DirectionTotals& reads = data->directions[0];
  Interval interval;
  interval.duration = data->window_end;
  reads.operations = operations;
  reads.bytes = operations * 4096;
  for (std::uint64_t i = 0; i < operations; ++i) reads.latency.record(1'000'000);
  IntervalDirection& row = interval.directions[0];
  row.operations = operations;
  row.bytes = reads.bytes;
  row.latency_sum = operations * 1'000'000;
  row.latency_max = 1'000'000;
  row.p50 = row.p99 = row.p999 = 1'000'000;
  data->intervals = {interval};
  data->in_flight_integral = data->in_window_time = static_cast<double>(operations) * 1e6;
  PhaseResult result;
  result.completed = true;
  result.data = data;
  result.seconds = 1.1;
  return result;
}

// A phase that ran once.
inline PhaseReport judge_phase(const PhasePlan& phase, const PhaseResult& result, const Surroundings& around = {}) {
  const FinishedRun run{.result = result, .seed = phase.seed, .started_at = "2026-11-30T12:00:00Z"};
  return judge_phase(phase, std::span(&run, 1), around);
}

// The measured phase of a job on a virtual disk, with the thresholds given.
inline Plan sample_plan(const std::vector<std::string>& checks) {
  Job job = sample_job(DiskKind::virtual_disk);
  for (const std::string& check : checks) job.phases[0].thresholds.push_back({check, false});
  Diagnostics diagnostics;
  return make_plan(job, sample_request(), SampleMachine{}.view(), diagnostics);
}

}  // namespace diskproof
