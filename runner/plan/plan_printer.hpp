// The plan for people: what `diskproof plan` shows.
#pragma once

#include <string>

#include "plan/plan.hpp"

namespace diskproof {

std::string print_plan(const Plan& plan);

// Seconds that the phases take if each lasts as planned; phases that count bytes or operations are left out.
double planned_seconds(const Plan& plan);

// Bytes that the layout phases write.
std::uint64_t layout_bytes(const Plan& plan);

}  // namespace diskproof
