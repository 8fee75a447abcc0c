// From a job and what the machine has to a plan: every default resolved, engines chosen, layout phases put in.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "job/job.hpp"
#include "plan/machine_view.hpp"
#include "plan/plan.hpp"

namespace diskproof {

// In a plan that is only shown: the run draws one.
inline constexpr std::uint64_t kSeedOfTheRun = ~std::uint64_t{0};

struct PlanRequest {
  std::string out_dir;      // absolute
  std::string working_dir;  // absolute: what relative targets are relative to
  std::string run_id;
  std::function<std::string(const std::string& disk)> mount_point{};  // where a file system of that disk is mounted
  std::function<std::uint64_t()> fresh_seed;                          // for phases that give none
  std::vector<std::string> only{};  // names of phases; the others are left out; empty: all are run
  bool smoke = false;               // the job was made small
};

// The job must be free of errors (load_job, check_gates). What is wrong with it on every machine that has its engines
// is added to `diagnostics`; the plan is whole only without errors. What this machine cannot do throws
// Error{unavailable}.
Plan make_plan(const Job& job, const PlanRequest& request, const MachineView& machine, Diagnostics& diagnostics);

// Anything as one word of a file name: letters, digits, . _ - stay, the rest becomes -.
std::string file_word(const std::string& text);

}  // namespace diskproof
