// By their positions in the job.
#include "plan/chosen_phases.hpp"

#include <algorithm>

#include "job/phase_names.hpp"

namespace diskproof {

ChosenPhases::ChosenPhases(const Job& job, const std::vector<std::string>& only) : job_(job), all_(only.empty()) {
  for (const std::string& name : only) {
    for (const std::size_t index : phases_named(job, name)) named_.insert(index);
  }
}

bool ChosenPhases::has(const Phase& phase) const {
  const auto named = [this](const Phase& one) {
    return named_.contains(static_cast<std::size_t>(&one - job_.phases.data()));
  };
  if (all_ || named(phase)) return true;
  if (phase.group.empty()) return false;
  return std::ranges::any_of(job_.phases,
                             [&](const Phase& other) { return other.group == phase.group && named(other); });
}

}  // namespace diskproof
