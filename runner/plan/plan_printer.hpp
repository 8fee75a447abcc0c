// The plan for people: what `diskproof plan` shows.
#pragma once

#include <functional>
#include <string>

#include "plan/plan.hpp"

namespace diskproof {

// An option's canonical value as a person writes it.
using OptionText =
    std::function<std::string(const EnginePlan& engine, const std::string& name, const std::string& value)>;

std::string print_plan(const Plan& plan, const OptionText& option_text = {});

// Seconds that the phases take if each lasts as planned; phases that count bytes or operations are left out.
double planned_seconds(const Plan& plan);

// Bytes that the layout phases write.
std::uint64_t layout_bytes(const Plan& plan);

}  // namespace diskproof
