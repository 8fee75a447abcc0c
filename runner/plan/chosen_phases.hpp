// Which phases of a job are run: those that --only names, or all of them; a group is chosen as a whole.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "job/job.hpp"

namespace diskproof {

// Why the others are skipped.
inline constexpr const char* kLeftOut = "left out by --only";

class ChosenPhases {
 public:
  // The job outlives it; `only` empty: all.
  ChosenPhases(const Job& job, const std::vector<std::string>& only);

  // `phase` is one of the job's.
  [[nodiscard]] bool has(const Phase& phase) const;

 private:
  const Job& job_;
  const bool all_;
  std::set<std::size_t> named_;
};

}  // namespace diskproof
