// Disks first (paths, files), then phases in order, then the layout phases that they need.
#include "plan/planner.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "job/phase_names.hpp"
#include "job/sizes.hpp"
#include "plan/chosen_phases.hpp"
#include "plan/disk_plan.hpp"
#include "plan/engine_choice.hpp"
#include "plan/estimate.hpp"
#include "plan/gate_check.hpp"
#include "plan/group_phase.hpp"
#include "plan/layout_phase.hpp"
#include "plan/of_job.hpp"
#include "plan/precondition.hpp"
#include "plan/resource_check.hpp"
#include "plan/verify_phase.hpp"
#include "support/error.hpp"
#include "support/units.hpp"
#include "support/version.hpp"
#include "verdict/threshold_expr.hpp"

namespace diskproof {
namespace {

constexpr std::uint64_t kSector = 512;  // the least alignment of direct I/O

class Planner {
 public:
  Planner(const Job& job, const PlanRequest& request, const MachineView& machine, Diagnostics& diagnostics)
      : job_(job),
        disks_(job.disks),
        request_(request),
        machine_(machine),
        diagnostics_(diagnostics),
        chosen_(job, request.only) {}

  Plan make() {
    plan_.job_file = job_.file;
    plan_.job_name = job_.name;
    plan_.description = job_.description;
    plan_.labels = job_.labels;
    plan_.run_id = request_.run_id;
    plan_.out_dir = request_.out_dir;
    plan_.tool_version = kVersion;
    plan_.smoke = request_.smoke;
    plan_.timeout = job_.timeout ? ns_of(*job_.timeout) : 0;
    plan_.max_written = job_.max_written.value_or(0);
    memory_ = memory_budget(job_, machine_);
    plan_.memory_limit = memory_.limit;
    for (Disk& disk : disks_) plan_.disks.push_back(plan_disk(job_, disk, request_, machine_, chosen_));
    check_paths(job_, plan_, diagnostics_);
    for (std::size_t i = 0; i < job_.phases.size();) {
      const auto group = std::ranges::find(job_.groups, job_.phases[i].group, &Group::name);
      if (job_.phases[i].group.empty() || group == job_.groups.end()) {
        add_phase(job_.phases[i++]);
      } else {
        add_group(*group);
        i += std::max<std::size_t>(group->phases.size(), 1);
      }
    }
    for (const Disk& disk : job_.disks) add_skipped_layout(disk);
    settle_verification(job_, {request_.working_dir, machine_.manifest, machine_.manifest_run}, plan_, diagnostics_);
    check_max_written();
    return std::move(plan_);
  }

 private:
  void add_phase(const Phase& phase) {
    PhasePlan plan = plan_phase(phase);
    if (!phase.only_precondition) plan_.phases.push_back(std::move(plan));
  }

  // Layouts and preconditions first, so that the phases stand together, and the group behind them.
  void add_group(const Group& group) {
    std::vector<PhasePlan> members;
    for (const std::size_t position : group.phases) {
      join_group(job_, group, members.emplace_back(plan_phase(job_.phases[position])));
    }
    if (!group.rounds) check_memory(group, members, memory_);
    PhasePlan whole = make_group_phase(job_, group, members);
    const auto skipped = std::ranges::find_if(members, [](const PhasePlan& member) { return !member.skip.empty(); });
    if (skipped != members.end()) skip_group(skipped->skip, members, whole);
    plan_.phases.insert(plan_.phases.end(), members.begin(), members.end());
    plan_.phases.push_back(std::move(whole));
  }

  // What one of its phases lacks, the group lacks.
  void skip_group(const std::string& why, std::vector<PhasePlan>& members, PhasePlan& whole) {
    whole.skip = why;
    for (PhasePlan& member : members) {
      member.skip = why;
      for (PhasePlan& fill : plan_.phases) {
        if (fill.name.starts_with(member.name + "/precondition/")) fill.skip = why;
      }
    }
  }

  // Adds the layout and the preconditions that the phase needs to the plan, and answers with the phase itself.
  PhasePlan plan_phase(const Phase& phase) {
    const auto disk =
        std::find_if(disks_.begin(), disks_.end(), [&](const Disk& candidate) { return candidate.name == phase.disk; });
    const auto& disk_plan = plan_.disks.at(static_cast<std::size_t>(disk - disks_.begin()));
    const std::string& path = phase.path;
    PhasePlan plan = phase_or_skipped(*disk, disk_plan, phase, path);
    plan.required = required_by(phase);
    if (plan.skip.empty() && wanted_layout(*disk, phase) != Layout::none) {
      add_layout(*disk, disk_plan, plan);
      plan.needs = {layout_name(disk->name)};
    }
    if ((disk->kind == DiskKind::virtual_disk || disk->kind == DiskKind::url) && plan.layout == Layout::allocated) {
      const std::string whose = disk->kind == DiskKind::url ? "a server" : "a virtual disk";
      diagnostics_.push_back(
          error_at(job_, path + ".layout", whose + " has no file to allocate", "use written or none"));
    }
    if (phase.precondition) add_preconditions(phase, path, plan);
    return plan;
  }

  // What this machine cannot do ends the planning, unless the phase is optional.
  PhasePlan phase_or_skipped(const Disk& disk, const DiskPlan& disk_plan, const Phase& phase, const std::string& path) {
    PhasePlan skipped = phase_of_job(disk, phase);
    skipped.skip = kLeftOut;
    if (!chosen_.has(phase)) return skipped;
    try {
      PhasePlan plan = make_phase(disk, disk_plan, phase, path);
      if (!phase.verify.checks()) check_memory(plan, memory_);
      check_cpus(plan, machine_);
      return plan;
    } catch (const Error& error) {
      if (!phase.optional || error.kind() != ErrorKind::unavailable) throw;
      skipped.skip = std::string("this machine lacks what it needs: ") + error.what();
      return skipped;
    }
  }

  // Names as the plan has them. What --only leaves out is not waited for.
  [[nodiscard]] std::vector<std::string> required_by(const Phase& phase) const {
    std::vector<std::string> names;
    for (const std::string& name : phase.required) {
      for (const std::size_t index : phases_named(job_, name)) {
        const Phase& other = job_.phases[index];
        if (!chosen_.has(other)) continue;
        if (!other.only_precondition) names.push_back(other.name);
        for (const PhasePlan& planned : plan_.phases) {
          if (other.only_precondition && planned.name.starts_with(other.name + "/precondition/")) {
            names.push_back(planned.name);
          }
        }
      }
    }
    return names;
  }

  // Each needs the one before it, and the phase needs the last.
  void add_preconditions(const Phase& phase, const std::string& path, PhasePlan& plan) {
    std::vector<PhasePlan> fills = make_preconditions(*phase.precondition, plan, plan_.memory_limit);
    for (PhasePlan& fill : fills) {
      fill.needs = plan.needs;
      if (fill.skip.empty() && fill.region_size < fill.block_size) {
        diagnostics_.push_back(error_at(job_, path + ".precondition.block_size",
                                        fmt::format("{} is more than the phase's region of {}",
                                                    format_bytes(fill.block_size), format_bytes(fill.region_size)),
                                        "use smaller blocks"));
      }
      plan.needs.push_back(fill.name);
      plan.pause = 0;  // it is before the first of them
      plan_.phases.push_back(std::move(fill));
    }
  }

  // The test cases of a job are the same whatever is skipped.
  void add_skipped_layout(const Disk& disk) {
    const auto wants = [&](const Phase& phase) {
      return phase.disk == disk.name && wanted_layout(disk, phase) != Layout::none;
    };
    const bool planned = std::any_of(plan_.phases.begin(), plan_.phases.end(),
                                     [&](const PhasePlan& phase) { return phase.name == layout_name(disk.name); });
    if (planned || std::none_of(job_.phases.begin(), job_.phases.end(), wants)) return;
    PhasePlan layout;
    layout.name = layout_name(disk.name);
    layout.kind = PhaseKind::layout;
    layout.disk = disk.name;
    layout.skip = "no phase that is run needs it";
    const auto first = std::find_if(plan_.phases.begin(), plan_.phases.end(),
                                    [&](const PhasePlan& phase) { return phase.disk == disk.name; });
    plan_.phases.insert(first, std::move(layout));
  }

  // What is certain to be written must be allowed.
  void check_max_written() {
    if (plan_.max_written == 0) return;
    const Estimate sums = estimate(plan_);
    if (sums.written.least <= plan_.max_written) return;
    std::string parts;
    for (const PhasePlan& phase : plan_.phases) {
      const std::uint64_t least = bytes_written(plan_, phase).least;
      if (least > 0) parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", phase.name, format_bytes(least));
    }
    diagnostics_.push_back(error_at(job_, "max_written",
                                    fmt::format("allows {}, but the phases write {}: {}",
                                                format_bytes(plan_.max_written), bytes_text(sums.written), parts),
                                    "allow more, or make `size` and counts smaller"));
  }

  PhasePlan make_phase(const Disk& disk, const DiskPlan& disk_plan, const Phase& phase, const std::string& path) {
    PhasePlan plan = phase_of_job(disk, phase);
    plan.engine = choose_engine(job_, disk, phase, path, machine_, diagnostics_);
    plan.queue_depth = depth_with(plan.engine, phase, machine_);
    if (!phase.seed) plan.seed = request_.fresh_seed();
    if (phase.verify.checks()) return plan;  // settled when its writer is
    add_targets(disk, disk_plan, phase, path, plan);
    return plan;
  }

  void add_targets(const Disk& disk, const DiskPlan& disk_plan, const Phase& phase, const std::string& path,
                   PhasePlan& plan) {
    const std::uint64_t size = file_size_of(disk, phase);
    const Span region = region_of(phase, size);
    plan.region_from = region.from;
    plan.region_size = region.size;
    if (disk.kind == DiskKind::virtual_disk) {
      plan.targets.push_back({.spec = disk.name, .size = size});
    } else if (is_raw(disk)) {
      plan.targets.push_back({.spec = disk_plan.path, .size = size, .device = true});
    } else {
      check_share(disk, phase, size, region);
      for (std::size_t i = 0; i < files_of(disk, phase); ++i)
        plan.targets.push_back({.spec = disk_plan.files.at(i), .size = size});
    }
    if (plan.direct && region.from % kSector != 0) {
      diagnostics_.push_back(
          error_at(job_, path + ".region.from",
                   fmt::format("byte {} is not a multiple of 512 B, as direct I/O needs", region.from),
                   "or use `direct: false`"));
    }
  }

  // What the job alone could not tell, where its size is a share of what is here.
  static void check_share(const Disk& disk, const Phase& phase, std::uint64_t size, const Span& region) {
    const bool inside = region.from <= size && region.size <= size - region.from;
    if (inside && region.size / phase.block_size >= sharers_of(disk, phase)) return;
    throw Error(
        ErrorKind::unavailable,
        fmt::format("phase {}: its size of disk {} is {} per file here, which its region does not fit into, with "
                    "a block of {} for each of its threads; use a larger size or disk, or smaller blocks",
                    phase.name, disk.name, format_bytes(size), format_bytes(phase.block_size)));
  }

  // Before the first phase of the disk that needs it; written wins over allocated.
  void add_layout(const Disk& disk, const DiskPlan& disk_plan, const PhasePlan& first) {
    const std::string name = layout_name(disk.name);
    const bool there = std::any_of(plan_.phases.begin(), plan_.phases.end(),
                                   [&](const PhasePlan& phase) { return phase.name == name; });
    if (there) return;
    const bool written = std::any_of(job_.phases.begin(), job_.phases.end(), [&](const Phase& phase) {
      return phase.disk == disk.name && chosen_.has(phase) && wanted_layout(disk, phase) == Layout::written;
    });
    PhasePlan layout = make_layout_phase(disk_plan, first, written ? Layout::written : Layout::allocated,
                                         request_.fresh_seed(), plan_.memory_limit);
    check_memory(layout, memory_);
    plan_.phases.push_back(std::move(layout));
  }

  const Job& job_;
  std::vector<Disk> disks_;  // the job's, with what sizes are shares of
  const PlanRequest& request_;
  const MachineView& machine_;
  Diagnostics& diagnostics_;
  const ChosenPhases chosen_;
  MemoryBudget memory_;
  Plan plan_;
};

}  // namespace

Plan make_plan(const Job& job, const PlanRequest& request, const MachineView& machine, Diagnostics& diagnostics) {
  return Planner(job, request, machine, diagnostics).make();
}

std::string file_word(const std::string& text) {
  std::string word = text;
  for (char& c : word) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
    if (!plain) c = '-';
  }
  return word;
}

}  // namespace diskproof
