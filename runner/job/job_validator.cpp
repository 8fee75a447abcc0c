// Rules of the job; those of a disk are in disk_rules.cpp, those of a phase are in phase_rules.cpp and load_rules.cpp.
#include "job/job_validator.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "job/least_time.hpp"
#include "job/scalar_check.hpp"
#include "support/units.hpp"

namespace diskproof {
namespace {

class Rules {
 public:
  Rules(const Job& job, ParseContext& context) : job_(job), context_(context) {}

  void check() {
    for (const Disk& disk : job_.disks) check_disk_rules(job_, disk, context_);
    check_unique_names();
    for (const Phase& phase : job_.phases) {
      if (context_.unusable.contains(phase.path)) continue;
      check_phase(job_, phase, context_);
      check_repeat(job_, phase, context_);
      check_load(job_, phase, context_);
      check_verify(job_, phase, context_);
      check_phase_order(job_, phase, context_);
    }
    for (const Group& group : job_.groups) {
      if (!context_.unusable.contains(group.path)) check_group(job_, group, context_);
    }
    check_timeout();
    if (job_.max_written && *job_.max_written == 0) error("max_written", "is zero", "leave it out for no limit");
    if (job_.memory_limit && *job_.memory_limit == 0) error("memory_limit", "is zero", "leave it out for no limit");
  }

 private:
  void error(const std::string& path, std::string message, std::string hint) {
    context_.error(job_.source.find(path), path, std::move(message), std::move(hint));
  }

  // No error: a part of the job (--only) may be done in time.
  void check_timeout() {
    if (!job_.timeout) return;
    if (job_.timeout->count() == 0) return error("timeout", "is zero", "leave it out for no limit");
    const Nanoseconds least = least_time(job_);
    if (*job_.timeout > least) return;
    context_.diagnostics.push_back(
        {Diagnostic::Level::warning, context_.file, job_.source.find("timeout"), "timeout",
         fmt::format("is not longer than the {} that the phases take at least, so that not all of them can end well",
                     format_duration(least)),
         "make it longer, or run a part with --only"});
  }

  void check_unique_names() {
    std::vector<std::pair<std::string, std::string>> all;  // path and name
    for (const Phase& phase : job_.phases) all.emplace_back(phase.path, phase.name);
    for (const Group& group : job_.groups) all.emplace_back(group.path, group.name);
    std::stable_sort(all.begin(), all.end(), [this](const auto& a, const auto& b) {
      const Location first = job_.source.find(a.first), second = job_.source.find(b.first);
      return std::pair(first.line, first.column) < std::pair(second.line, second.column);
    });
    std::map<std::string, std::string> first;  // name to path
    for (const auto& [path, name] : all) {
      if (name.starts_with("layout/")) {
        error(child_path(path, "name"), fmt::format("'{}' would be the name of a layout phase", name),
              "do not start a name with layout/");
      }
      if (name.find("/precondition/") != std::string::npos) {
        error(child_path(path, "name"), fmt::format("'{}' would be the name of a precondition", name),
              "do not use /precondition/ in a name");
      }
      const auto [seen, fresh] = first.try_emplace(name, path);
      if (!fresh && !name.empty()) {
        error(child_path(path, "name"),
              fmt::format("'{}' is the name of {} in line {} already", name, seen->second,
                          job_.source.find(seen->second).line),
              "give each phase a name of its own");
      }
    }
  }

  const Job& job_;
  ParseContext& context_;
};

}  // namespace

std::map<std::string, double> flat_limits(const std::vector<LimitGroup>& groups) {
  std::map<std::string, double> flat;
  for (const LimitGroup& group : groups) {
    for (const auto& [name, value] : group.values)
      flat[group.name.empty() ? name : child_path(group.name, name)] = value;
  }
  return flat;
}

void check_job(const Job& job, ParseContext& context) { Rules(job, context).check(); }

}  // namespace diskproof
