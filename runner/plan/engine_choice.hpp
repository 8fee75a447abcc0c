// Which engine runs a phase: the one that is named, or the first of a list that can do what the phase asks. Never
// another one.
#pragma once

#include <string>

#include "job/job.hpp"
#include "plan/machine_view.hpp"
#include "plan/plan.hpp"

namespace diskproof {

// Why an engine that is there cannot run the phase on that disk, by its manifest; empty when it can.
std::string find_misfit(const EngineInfo& engine, const Disk& disk, const Phase& phase);

// `path` is the phase's key path ("phases[1]"). What is wrong with the job is added to `diagnostics`; an engine that
// this machine cannot use throws Error.
EnginePlan choose_engine(const Job& job, const Disk& disk, const Phase& phase, const std::string& path,
                         const MachineView& machine, Diagnostics& diagnostics);

// What is in flight with it: the phase's queue_depth, or as much of it as the engine holds where the job does not say
// it.
std::uint32_t depth_with(const EnginePlan& engine, const Phase& phase, const MachineView& machine);

}  // namespace diskproof
