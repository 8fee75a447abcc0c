// How much memory a run may take: what the machine has to spare, or less where a control group has less left.
#pragma once

#include <string>

#include "plan/machine_view.hpp"

namespace diskproof {

// `proc` is where the kernel shows itself; tests give a tree of files. Throws Error{unavailable}.
AvailableMemory available_memory(const std::string& proc = "/proc");

}  // namespace diskproof
