// What one step of preparation or undo came to.
#pragma once

#include <string>

#include "verdict/outcome.hpp"

namespace diskproof {

struct StepReport {
  std::string name;  // "create data", "remove data"
  std::string disk;
  Outcome outcome = Outcome::pass;
  std::string reason;  // why not
  double seconds = 0;
  std::string output{};  // what a program said, or what was found
};

}  // namespace diskproof
