// What `check` says of a job's thresholds beyond their spelling: bounds that no run could meet or answer. Looks at the
// job only, never at the machine.
#pragma once

#include <string>

#include "job/job.hpp"

namespace diskproof {

// Adds errors and warnings, each placed at its threshold. Where the job has errors already, only the spelling of the
// thresholds is checked: what they can mean depends on the rest.
void check_gates(const Job& job, Diagnostics& diagnostics);

// A diagnostic at a key path of the job.
Diagnostic error_at(const Job& job, std::string path, std::string message, std::string hint);
Diagnostic warning_at(const Job& job, std::string path, std::string message, std::string hint);

}  // namespace diskproof
