// A job file to a Job: read, replace variables, check against the schema, parse, check the rules between keys.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "job/diagnostic.hpp"
#include "job/job.hpp"

namespace diskproof {

struct LoadOptions {
  std::map<std::string, std::string> sets;  // --set K=V
  std::string out_dir;                      // ${out}; a job that uses it while it is empty is in error
};

struct LoadedJob {
  Job job;                  // complete only when there are no errors
  Diagnostics diagnostics;  // every fault at once, by line
};

LoadedJob load_job(const std::string& path, const LoadOptions& options = {});

// The same from text; `file` names it in diagnostics.
LoadedJob load_job_text(std::string_view text, const std::string& file, const LoadOptions& options = {});

}  // namespace diskproof
