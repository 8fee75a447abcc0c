// The manifests of a run: which of them are this run's and hold. One of an earlier run with the same report folder
// stays until the data that it tells of is written over.
#pragma once

#include <string>
#include <vector>

#include "integrity/manifest_facts.hpp"
#include "plan/plan.hpp"

namespace diskproof {

// What a manifest says of itself. Throws Error; where it is missing, with word of the killed run that owes it.
ManifestFacts find_manifest(const std::string& path, const std::string& state_root);

// Before `phase` begins: where it writes or trims without stamps, those of its disk are untrue, and what is owed in the
// engines' state folder too.
void drop_untrue_manifests(const Plan& plan, const PhasePlan& phase, const std::string& state_folder);

// This run has made it, or something is there that only reading it can tell of.
bool has_manifest(const Plan& plan, const PhasePlan& check);

// Those that this run has left.
std::vector<std::string> left_manifests(const Plan& plan);

}  // namespace diskproof
