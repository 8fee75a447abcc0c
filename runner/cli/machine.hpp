// Facts of this machine that plans and reports need.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/run_report.hpp"

namespace diskproof {

HostFacts host_facts();
std::uint64_t random_number();  // from the system's generator
bool is_terminal_stdout();

// The words behind the program's name, in UTF-8.
std::vector<std::string> program_arguments(int argc, char** argv);

// First thing of a process. Linux: standard descriptors that were inherited closed lead nowhere, instead of becoming
// the next file that is opened; a file-size limit is an error of the write, not a death. Windows: a crash shows no
// window, the console takes UTF-8.
void settle_process();

}  // namespace diskproof
