// What the phases of a plan do to each other's stamped data, in the order in which they run. Looks at the plan only, so
// that it serves an outline as well.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "job/job.hpp"
#include "plan/plan.hpp"

namespace diskproof {

struct VerifyOrder {
  std::map<std::size_t, std::string> maps;     // of each phase that stamps: phases with one name go on with one map
  std::map<std::size_t, std::size_t> writers;  // of each check: the phase whose manifest it reads
};

// Adds errors to `diagnostics`, each once: writes without stamps over stamped data that nothing has checked, checks of
// what is there no more, and phases that disturb each other. Phases that are skipped count for nothing.
VerifyOrder verify_order(const Job& job, const std::vector<PhasePlan>& phases, Diagnostics& diagnostics);

}  // namespace diskproof
