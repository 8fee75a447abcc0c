// The order of outcomes and of exit codes.
#include "verdict/outcome.hpp"

namespace diskproof {
namespace {

int badness(Outcome outcome) {
  switch (outcome) {
    case Outcome::skipped:
      return 0;
    case Outcome::pass:
      return 1;
    case Outcome::inconclusive:
      return 2;
    case Outcome::fail:
      return 3;
    case Outcome::error:
      return 4;
  }
  return 4;
}

}  // namespace

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::pass:
      return "pass";
    case Outcome::fail:
      return "fail";
    case Outcome::inconclusive:
      return "inconclusive";
    case Outcome::error:
      return "error";
    case Outcome::skipped:
      return "skipped";
  }
  return "error";
}

Outcome worse(Outcome a, Outcome b) { return badness(a) >= badness(b) ? a : b; }

ExitCode exit_code(const RunEnding& ending) {
  if (ending.interrupted) return ExitCode::interrupted;
  if (ending.refused) return ExitCode::refused;
  switch (ending.outcome) {
    case Outcome::error:
      return ExitCode::error;
    case Outcome::fail:
      return ExitCode::fail;
    case Outcome::inconclusive:
      return ExitCode::inconclusive;
    case Outcome::pass:
    case Outcome::skipped:
      return ExitCode::pass;
  }
  return ExitCode::error;
}

}  // namespace diskproof
