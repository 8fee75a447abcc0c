// Rules about a group as a whole.
#include <fmt/format.h>

#include "job/job_validator.hpp"
#include "job/least_time.hpp"
#include "support/units.hpp"

namespace diskproof {
namespace {

class GroupRules {
 public:
  GroupRules(const Job& job, const Group& group, ParseContext& context) : job_(job), group_(group), context_(context) {}

  void check() {
    for (const std::size_t member : group_.phases) {
      if (!group_.rounds) check_runs_once(job_.phases[member]);
    }
    if (group_.rounds && !group_.thresholds.empty()) {
      error(child_path(group_.path, "thresholds"), "phases that take turns have no time in common that could be judged",
            "give them to the group's phases");
    }
    check_timeout();
  }

 private:
  void error(const std::string& path, std::string message, std::string hint) {
    context_.error(job_.source.find(path), path, std::move(message), std::move(hint));
  }

  void check_runs_once(const Phase& phase) {
    if (phase.repeat.count <= 1) return;
    error(child_path(phase.path, "repeat"), "the phases of a parallel group start together, and run once",
          "give repeat to phases outside of it");
  }

  void check_timeout() {
    const std::string path = child_path(group_.path, "timeout");
    if (!group_.timeout || context_.unusable.contains(path)) return;
    if (group_.timeout->count() == 0) return error(path, "is zero", {});
    const Nanoseconds least = least_time(job_, group_);
    if (*group_.timeout > least) return;
    error(path, fmt::format("is not longer than the {} that the group's phases take", format_duration(least)),
          "make it longer");
  }

  const Job& job_;
  const Group& group_;
  ParseContext& context_;
};

}  // namespace

void check_group(const Job& job, const Group& group, ParseContext& context) { GroupRules(job, group, context).check(); }

}  // namespace diskproof
