// What holds for every plan that a planner makes, checked again where a plan comes from outside.
#pragma once

#include <string>

#include "plan/plan.hpp"

namespace diskproof {

// The first broken rule in one line ("phases[2] (fill): block_size is 0"), or empty.
std::string find_fault(const Plan& plan);

}  // namespace diskproof
