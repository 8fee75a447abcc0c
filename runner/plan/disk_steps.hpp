// The steps that a job declares for a disk that is attached, formatted, mounted or throttled, in their order: what the
// preparation runs and the reports have a test case for.
#pragma once

#include <string>
#include <vector>

#include "plan/plan.hpp"

namespace diskproof {

// One per step: "attach", "discard", "mkfs.ext4", "mount", "fstrim", "throttle"; each is followed by the disk's name in
// reports. Empty for a disk that only has files.
std::vector<std::string> disk_steps(const DiskPlan& disk);

// By a phase that is run.
bool is_used(const Plan& plan, const DiskPlan& disk);
// By a phase that is run, or by what gets the disk ready.
bool is_written(const Plan& plan, const DiskPlan& disk);

}  // namespace diskproof
