// Which phases a name means: the phase of that name; where there is none, the phases of the group of that name; else
// the cells of a matrix, whose names start with it and a slash.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "job/job.hpp"

namespace diskproof {

// Indices into job.phases, ascending; empty: there is none.
std::vector<std::size_t> phases_named(const Job& job, std::string_view name);

// "did you mean read?", or which phases there are.
std::string phase_name_hint(const Job& job, const std::string& name);

}  // namespace diskproof
