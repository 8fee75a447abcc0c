// The parent's side of a probe: an engine is asked who it is, and whether it takes what a phase will give it, in a
// child of its own and in bounded time. Whatever the engine does there, it is told as an error of that engine.
#pragma once

#include <string>

#include "engine/engine_info.hpp"
#include "engine/engine_trial.hpp"
#include "exec/phase_runner.hpp"

namespace diskproof {

// Loads the engine at `library_path`, reads its manifest and probes it; at most limits.probe. An engine that cannot be
// loaded, crashes or hangs throws Error{unavailable} that says so.
EngineInfo probe_engine(const std::string& library_path, const ChildSettings& settings);

// Creates the engine as the phase will, opens the queue on a virtual disk, and takes both down again. Throws
// Error{bad_job} with the engine's words when its options do not go together (DP_EINVAL), else Error{unavailable}.
void try_engine(const std::string& library_path, const EngineTrial& trial, const ChildSettings& settings);

}  // namespace diskproof
