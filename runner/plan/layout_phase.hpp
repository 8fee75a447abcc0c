// The phase that writes a disk's files before another phase needs their data.
#pragma once

#include <cstdint>

#include "job/job.hpp"
#include "plan/plan.hpp"

namespace diskproof {

std::string layout_name(const std::string& disk);

// What a phase asks for: written unless it says otherwise, none on virtual disks.
Layout wanted_layout(const Disk& disk, const Phase& phase);

// Queue depth of a phase that only writes: what the memory has room for, at most 8; 1 where the engine does one I/O at
// a time.
std::uint32_t fill_depth(const PhasePlan& phase, std::uint64_t memory_limit);

// Lays out every file of the disk as a whole. `first` is the first phase that needs it and lends its engine, direct
// mode, data, timeouts and findings; `memory_limit` bounds the buffers.
PhasePlan make_layout_phase(const DiskPlan& disk, const PhasePlan& first, Layout layout, std::uint64_t seed,
                            std::uint64_t memory_limit);

}  // namespace diskproof
