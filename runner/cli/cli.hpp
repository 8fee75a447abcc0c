// From arguments to an exit code.
#pragma once

#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "support/error.hpp"
#include "verdict/outcome.hpp"

namespace diskproof {

// Never throws: what a command throws is printed, and its kind is the exit code.
int run_cli(const std::vector<std::string>& arguments, Terminal& terminal);

ExitCode exit_code_of(ErrorKind kind);

}  // namespace diskproof
