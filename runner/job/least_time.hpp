// The least time that a job takes to end well, as far as it tells: pauses, warm-ups, durations, runs. How long layouts,
// preconditions and phases that count bytes or operations take is not known.
#pragma once

#include "job/job.hpp"

namespace diskproof {

Nanoseconds least_time(const Job& job, const Group& group);
Nanoseconds least_time(const Job& job);  // without phases that are optional

}  // namespace diskproof
