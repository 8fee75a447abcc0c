// What `check` says of a group: intervals that could not be summed, thresholds that its common window cannot answer.
#pragma once

#include "job/job.hpp"

namespace diskproof {

// Where the job has errors already, only the spelling of the thresholds is checked.
void check_group_gates(const Job& job, const Group& group, bool spelling_only, Diagnostics& diagnostics);

}  // namespace diskproof
