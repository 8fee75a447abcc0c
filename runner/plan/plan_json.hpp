// The plan as JSON and back, without loss. `plan --json` prints it, the phase's child executes it, result.json embeds
// it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "plan/plan.hpp"

namespace diskproof {

nlohmann::ordered_json plan_to_json(const Plan& plan);

enum class PlanUse {
  execution,  // it must make sense (plan_check)
  record      // as it was written; may be the outline of a run that could not be planned
};

// Strict: a missing, unknown or mistyped field and a value that no planner writes throw Error{failed} that names the
// field's path. Safe on hostile input.
Plan plan_from_json(const nlohmann::ordered_json& json, PlanUse use = PlanUse::execution);
Plan plan_from_text(std::string_view text);

}  // namespace diskproof
