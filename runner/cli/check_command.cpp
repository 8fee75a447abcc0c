// `diskproof check JOB…`: the same answer on every machine.
#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/job_source.hpp"
#include "support/counted.hpp"
#include "support/error.hpp"
#include "verdict/outcome.hpp"

namespace diskproof {

int check_command(const CheckRequest& request, const Places& places, Terminal& terminal) {
  bool all_good = true;
  for (const std::string& job : request.jobs) {
    const auto checked = load_checked_job(job, request.sets, "diskproof-results/check", places, terminal.err);
    if (checked) {
      terminal.show(fmt::format("{}: good, {}\n", job, counted(checked->job.phases.size(), "phase")));
    } else {
      all_good = false;
    }
  }
  return static_cast<int>(all_good ? ExitCode::pass : ExitCode::bad_job);
}

}  // namespace diskproof
