// Rules about the runs of a phase.
#include <fmt/format.h>

#include "job/job_validator.hpp"

namespace diskproof {

void check_repeat(const Job& job, const Phase& phase, ParseContext& context) {
  const Repeat& repeat = phase.repeat;
  const std::string path = child_path(phase.path, "repeat");
  const auto usable = [&](std::string_view key) { return !context.unusable.contains(child_path(path, key)); };
  const auto error = [&](std::string_view key, std::string message, std::string hint) {
    const std::string at = child_path(path, key);
    context.error(job.source.find(at), at, std::move(message), std::move(hint));
  };
  if (usable("count") && usable("discard") && repeat.discard >= repeat.count) {
    error("discard", fmt::format("leaves none of {} runs to count", repeat.count), "discard fewer, or run more");
  }
  if (usable("score") && repeat.from_same_run && repeat.score == Score::mean) {
    error("from_same_run", "no run has the mean of all", "use score: median, max, min or best");
  }
}

}  // namespace diskproof
