// A job as a command gets it: file found, loaded, checked, its faults printed.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include "cli/args.hpp"
#include "cli/places.hpp"
#include "job/job.hpp"

namespace diskproof {

struct CheckedJob {
  Job job;
  std::string text;     // of the file
  std::string out_dir;  // absolute; what ${out} stands for
};

// Prints all diagnostics to `err`; nothing when one of them is an error. `out_dir` empty: a folder named after the job
// and the time.
std::optional<CheckedJob> load_checked_job(const std::string& job, const Sets& sets, const std::string& out_dir,
                                           const Places& places, std::ostream& err);

void print(const Diagnostics& diagnostics, std::ostream& err);

}  // namespace diskproof
