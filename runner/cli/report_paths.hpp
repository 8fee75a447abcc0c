// Whether the reports can stand where they were asked for: they replace what is there.
#pragma once

#include <string>
#include <vector>

#include "job/job.hpp"
#include "plan/plan.hpp"

namespace diskproof {

struct ReportPaths {
  std::string job_file;
  std::string out_dir;  // absolute
  std::string junit;    // of --junit; empty: none
};

// Why not, and what to change; empty when they can. Looks at names only, links resolved, and takes two that differ in
// case for the same, as some file systems do. Files of disks whose file system does not answer are passed over, as the
// plan says so; reports on one are Error{failed}.
std::string report_conflict(const ReportPaths& reports, const Job& job);    // with each other, the job, files of disks
std::string report_conflict(const ReportPaths& reports, const Plan& plan);  // with what a plan makes besides

}  // namespace diskproof
