// Processes that an engine started and that outlive the child it ran in.
#pragma once

#include <cstddef>
#include <string>
#include <sys/types.h>

namespace diskproof {

// From now on a process whose parent has ended, of those that this program's children started, becomes a child of this
// program and not of the system's first process, so that it can be found.
void adopt_strays() noexcept;

// Kills every adopted process that has `mark` in its environment or is in the process group, and what those had
// started; how many still ran. Takes a moment at most: what cannot be killed stays.
std::size_t end_strays(const std::string& mark, pid_t group);

}  // namespace diskproof
