// Options that do not go together.
#pragma once

#include <diskproof/engine.hpp>

namespace sim {

// Throws dp::EngineError that names every contradiction.
void check_rules(const dp::Options& options);

}  // namespace sim
