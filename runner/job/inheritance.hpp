// What a phase inherits: defaults < disk (engine and limits) < group < phase.
#pragma once

#include <array>
#include <string_view>

#include "job/node.hpp"

namespace diskproof {

// The keys of which a phase has exactly one.
inline constexpr std::array<std::string_view, 4> kStopKeys{"duration", "bytes", "operations_count", "until"};

// The phase with everything it inherits. `defaults`, `disk` and `group` may be nullptr; `group` without what is its
// own.
Node effective_phase(const Node* defaults, const Node* disk, const Node* group, const Node& phase);

}  // namespace diskproof
