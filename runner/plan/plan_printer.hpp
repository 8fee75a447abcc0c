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

}  // namespace diskproof
