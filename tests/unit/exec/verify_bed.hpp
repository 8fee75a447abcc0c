// A phase that writes and one that checks, through real children on a simulated disk.
#pragma once

#include <doctest/doctest.h>
#include <map>
#include <string>

#include "process_bench.hpp"
#include "support/temp_folder.hpp"

namespace diskproof::testing {

using Options = std::map<std::string, std::string>;

inline constexpr std::uint64_t kBlock = 4096;
inline constexpr std::uint64_t kSize = 256 * kBlock;

// Phase 0 writes, phase 1 checks.
struct Bed {
  TempFolder folder;
  Plan plan;

  explicit Bed(Options options = {}) {
    options["content"] = "true";
    options["service_time"] = "1000";
    plan = sim_plan(options);
    plan.run_id = "run-1";
    plan.disks[0].capacity = plan.disks[0].file_size = kSize;
    PhasePlan& writer = plan.phases[0];
    writer.name = "write";
    writer.targets = {{"d", kSize}};
    writer.region_size = kSize;
    writer.block_size = kBlock;
    writer.access = Access::random;
    writer.operations = {.read = 0, .write = 100, .trim = 0};
    writer.stop = {StopRule::Kind::operations, 256};
    writer.verify.write = true;
    writer.verify.manifest = folder.path("write.manifest");
    writer.verify.map = "d.map";
    writer.verify.granule = kBlock;
    PhasePlan check = plan.phases[0];
    check.name = "check";
    check.kind = PhaseKind::verify;
    check.operations = {100, 0, 0};
    check.access = Access::sequential;
    check.block_size = 1 << 20;
    check.stop = {StopRule::Kind::bytes, kSize};
    check.verify = {};
    check.verify.of = "write";
    check.verify.manifest = writer.verify.manifest;
    plan.phases.push_back(check);
  }

  PhasePlan& writer() { return plan.phases[0]; }
  PhasePlan& checker() { return plan.phases[1]; }
  PhaseResult run(std::size_t index) {
    ChildSettings settings = child_settings();
    settings.state_dir = folder.path();
    Recorder recorder;
    const PhaseResult result = run_phase(plan, index, settings, recorder.stop, recorder);
    CAPTURE(result.log_tail);
    CHECK(result.log_tail.find("Sanitizer") == std::string::npos);
    return result;
  }
  VerifyTotals totals(std::size_t index) {
    const PhaseResult result = run(index);
    CHECK(result.reason == "");
    REQUIRE(result.completed);
    REQUIRE(result.data != nullptr);
    REQUIRE(result.data->verify.has_value());
    return *result.data->verify;
  }
  VerifyTotals written_and_checked() {
    totals(0);
    return totals(1);
  }
};

// Bytes per class; those that are not named are 0.
inline void check_faults(const VerifyTotals& totals, const std::map<FaultClass, std::uint64_t>& faulty) {
  std::uint64_t sum = totals.bytes;
  for (std::size_t i = 0; i < kFaultClasses; ++i) {
    CAPTURE(std::string(kFaultNames[i]));
    const auto found = faulty.find(static_cast<FaultClass>(i));
    CHECK(totals.faulty[i] == (found == faulty.end() ? 0 : found->second));
    sum += totals.faulty[i];
  }
  CHECK(sum == totals.expected);
  CHECK(totals.faults.empty() == faulty.empty());
}

}  // namespace diskproof::testing
