// The five outcomes of DESIGN §6, how they combine, and the process exit code: decided here and nowhere else.
#pragma once

#include <string_view>

namespace diskproof {

enum class Outcome { pass, fail, inconclusive, error, skipped };

std::string_view to_string(Outcome outcome);

// The worse of two for a suite: error > fail > inconclusive > pass > skipped.
Outcome worse(Outcome a, Outcome b);

// 0 pass, 1 a threshold failed, 2 error, 3 bad job or usage, 4 refused for safety, 5 inconclusive, 130 interrupted.
enum class ExitCode : int {
  pass = 0,
  fail = 1,
  error = 2,
  bad_job = 3,
  refused = 4,
  inconclusive = 5,
  interrupted = 130
};

struct RunEnding {
  Outcome outcome = Outcome::pass;  // over all phases and preparation
  bool refused = false;
  bool interrupted = false;
};

// Precedence 130 > 4 > 2 > 1 > 5 > 0. A bad job never gets this far.
ExitCode exit_code(const RunEnding& ending);

}  // namespace diskproof
