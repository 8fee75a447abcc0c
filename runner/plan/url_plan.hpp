// Disks that are URLs: what the server says of them, and the names of their files.
#pragma once

#include <cstdint>
#include <string>

#include "plan/machine_view.hpp"
#include "plan/plan.hpp"

namespace diskproof {

// Asks the server, by the engine of `phase`, and says in `disk` whether its URL is a file and how large. What is wrong
// with the engine is left to where the phase is planned. Throws Error.
void look_at_url(const Job& job, const Phase& phase, const MachineView& machine, Disk& disk);

// Fills in path, work folder and files. Throws Error{unavailable} where a size is a share of what no server is asked.
void plan_url(const Disk& disk, const std::string& work_folder, std::uint32_t files, bool shares, DiskPlan& plan);

}  // namespace diskproof
