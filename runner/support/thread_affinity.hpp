// Which CPUs threads run on.
#pragma once

#include <cstdint>
#include <vector>

namespace diskproof {

// The CPUs that this thread may run on, ascending: what is online and what cpusets, containers and taskset leave of it.
std::vector<std::uint32_t> allowed_cpus();

// Keeps the calling thread on one CPU. Throws Error{unavailable}.
void pin_this_thread(std::uint32_t cpu);

// Keeps the calling thread, and those that it starts from now on, off these CPUs, where it has others.
void keep_this_thread_off(const std::vector<std::uint32_t>& cpus) noexcept;

}  // namespace diskproof
