// Facts of this machine that plans and reports need.
#pragma once

#include <cstdint>
#include <string>

#include "report/run_report.hpp"

namespace diskproof {

HostFacts host_facts();
std::uint64_t random_number();  // from the system's generator
bool is_terminal_stdout();

// First thing of a process: standard descriptors that were inherited closed lead nowhere, instead of becoming the next
// file that is opened; a file-size limit is an error of the write, not a death.
void settle_process();

}  // namespace diskproof
