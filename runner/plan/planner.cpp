// Disks first (paths, files), then phases in order, then the layout phases that they need.
#include "plan/planner.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>

#include "job/sizes.hpp"
#include "plan/engine_choice.hpp"
#include "plan/gate_check.hpp"
#include "plan/group_phase.hpp"
#include "plan/layout_phase.hpp"
#include "plan/of_job.hpp"
#include "support/counted.hpp"
#include "support/cpu_list.hpp"
#include "support/error.hpp"
#include "support/path_text.hpp"
#include "support/units.hpp"
#include "support/utf8.hpp"
#include "support/version.hpp"
#include "verdict/threshold_expr.hpp"

namespace diskproof {
namespace {

constexpr std::uint64_t kFileBlock = 4096;  // file sizes are whole blocks, so that direct I/O reaches their end
constexpr std::uint64_t kPage = 4096;       // that a buffer starts on
constexpr std::uint64_t kSector = 512;      // the least alignment of direct I/O

std::uint64_t count(Nanoseconds time) { return static_cast<std::uint64_t>(std::max<std::int64_t>(time.count(), 0)); }

class Planner {
 public:
  Planner(const Job& job, const PlanRequest& request, const MachineView& machine, Diagnostics& diagnostics)
      : job_(job), disks_(job.disks), request_(request), machine_(machine), diagnostics_(diagnostics) {}

  Plan make() {
    plan_.job_file = job_.file;
    plan_.job_name = job_.name;
    plan_.description = job_.description;
    plan_.labels = job_.labels;
    plan_.run_id = request_.run_id;
    plan_.out_dir = request_.out_dir;
    plan_.tool_version = kVersion;
    plan_.timeout = job_.timeout ? count(*job_.timeout) : 0;
    if (!job_.memory_limit) memory_ = machine_.available_memory();
    plan_.memory_limit = job_.memory_limit.value_or(memory_.bytes / 4);
    for (Disk& disk : disks_) plan_.disks.push_back(make_disk(disk));
    check_paths();
    for (std::size_t i = 0; i < job_.phases.size();) {
      const auto group = std::ranges::find(job_.groups, job_.phases[i].group, &Group::name);
      if (job_.phases[i].group.empty() || group == job_.groups.end()) {
        add_phase(job_.phases[i++]);
      } else {
        add_group(*group);
        i += std::max<std::size_t>(group->phases.size(), 1);
      }
    }
    return std::move(plan_);
  }

 private:
  [[nodiscard]] std::string absolute(const std::string& path) const {
    return text_of((path_from(request_.working_dir) / path_from(path)).lexically_normal());
  }

  // Says in `disk` too what its sizes are shares of.
  DiskPlan make_disk(Disk& disk) {
    DiskPlan plan;
    plan.name = disk.name;
    plan.kind = disk.kind;
    plan.capacity = disk.capacity.value_or(0);
    plan.keep = disk.keep;
    plan.fill = disk.fill;
    plan.overwrite = disk.overwrite;
    plan.limits = disk.limits;
    std::uint32_t files = 0;
    bool shares = false;
    for (const Phase& phase : job_.phases) {
      if (phase.disk != disk.name) continue;
      files = std::max(files, files_of(disk, phase));
      shares = shares || (phase.size && phase.size->percent);
    }
    if (disk.kind != DiskKind::virtual_disk) {
      plan.path = absolute(disk.path);
      if (disk.kind == DiskKind::file && files > 0) plan.files = {plan.path};
      if (disk.kind == DiskKind::directory) add_directory_files(disk, files, plan);
      if (shares) disk.capacity = machine_.whole_size(plan);
    }
    for (const Phase& phase : job_.phases) {
      if (phase.disk == disk.name) plan.file_size = std::max(plan.file_size, file_size_of(disk, phase));
    }
    if (disk.kind != DiskKind::virtual_disk)
      plan.file_size = (plan.file_size + kFileBlock - 1) / kFileBlock * kFileBlock;
    return plan;
  }

  void add_directory_files(const Disk& disk, std::uint32_t files, DiskPlan& plan) const {
    const std::string folder = disk.keep ? file_word(job_.name) + "-" + file_word(disk.name) : request_.run_id;
    const auto work = path_from(plan.path) / path_from(disk.subdirectory) / path_from("diskproof-" + folder);
    plan.work_path = text_of(work.lexically_normal());
    for (std::uint32_t i = 0; i < files; ++i) plan.files.push_back(path_in(plan.work_path, fmt::format("t{}.dat", i)));
  }

  // The plan travels as JSON, which holds no other bytes: another path would name another file.
  void check_path(const std::string& path, const std::string& whose) {
    if (is_utf8(path)) return;
    throw Error(ErrorKind::unavailable, fmt::format("the path of {} is not UTF-8, and cannot be used: '{}'; rename the "
                                                    "folder, or give a path elsewhere",
                                                    whose, path));
  }

  void check_paths() {
    std::set<std::string> seen;
    check_path(plan_.out_dir, "the report folder");
    for (const DiskPlan& disk : plan_.disks) {
      check_path(disk.path, "disk " + disk.name);
      for (const std::string& file : disk.files) {
        if (seen.insert(file).second) continue;
        diagnostics_.push_back(error_at(job_, "disks." + disk.name,
                                        "another disk of this job uses " + file + " already", "give it another path"));
      }
    }
  }

  void add_phase(const Phase& phase) {
    PhasePlan plan = plan_phase(phase);
    check_memory(plan);
    plan_.phases.push_back(std::move(plan));
  }

  // Layouts first, so that the phases stand together, and the group behind them.
  void add_group(const Group& group) {
    std::vector<PhasePlan> members;
    for (const std::size_t position : group.phases) {
      join_group(job_, group, members.emplace_back(plan_phase(job_.phases[position])));
    }
    if (!group.rounds) check_memory(group, members);
    for (const PhasePlan& member : members) check_memory(member);
    plan_.phases.insert(plan_.phases.end(), members.begin(), members.end());
    plan_.phases.push_back(make_group_phase(job_, group, members));
  }

  // Adds the layout that the phase needs to the plan, and answers with the phase itself.
  PhasePlan plan_phase(const Phase& phase) {
    const auto disk =
        std::find_if(disks_.begin(), disks_.end(), [&](const Disk& candidate) { return candidate.name == phase.disk; });
    const auto& disk_plan = plan_.disks.at(static_cast<std::size_t>(disk - disks_.begin()));
    const std::string& path = phase.path;
    PhasePlan plan = make_phase(*disk, disk_plan, phase, path);
    if (wanted_layout(*disk, phase) != Layout::none) {
      add_layout(*disk, disk_plan, plan);
      plan.needs = {layout_name(disk->name)};
    }
    if (disk->kind == DiskKind::virtual_disk && plan.layout == Layout::allocated) {
      diagnostics_.push_back(
          error_at(job_, path + ".layout", "a virtual disk has no file to allocate", "use written or none"));
    }
    check_cpus(plan);
    return plan;
  }

  PhasePlan make_phase(const Disk& disk, const DiskPlan& disk_plan, const Phase& phase, const std::string& path) {
    PhasePlan plan = phase_of_job(disk, phase);
    plan.engine = choose_engine(job_, disk, phase, path, machine_, diagnostics_);
    if (!phase.seed) plan.seed = request_.fresh_seed();
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
      return phase.disk == disk.name && wanted_layout(disk, phase) == Layout::written;
    });
    PhasePlan layout = make_layout_phase(disk_plan, first, written ? Layout::written : Layout::allocated,
                                         request_.fresh_seed(), plan_.memory_limit);
    check_memory(layout);
    plan_.phases.push_back(std::move(layout));
  }

  // Buffers start on pages.
  static std::uint64_t buffer_of(const PhasePlan& phase) { return (phase.block_size + kPage - 1) / kPage * kPage; }
  static double buffers_of(const PhasePlan& phase) {
    const double repeated = phase.data.dedupe > 0 ? kRepeatedBlocks : 0;  // per thread, that writes are copied from
    return phase.threads * (phase.queue_depth + repeated) * static_cast<double>(buffer_of(phase));
  }

  // Of phases that run at the same time.
  void check_memory(const Group& group, const std::vector<PhasePlan>& members) const {
    double buffers = 0;
    for (const PhasePlan& member : members) buffers += buffers_of(member);
    if (buffers <= static_cast<double>(plan_.memory_limit)) return;
    throw Error(
        ErrorKind::unavailable,
        fmt::format("group {}: its {} phases together need {} of buffers, more than the memory_limit of {}; use "
                    "fewer threads, depths or phases, or set `memory_limit`",
                    group.name, members.size(), format_bytes(static_cast<std::uint64_t>(std::min(buffers, 1e19))),
                    format_bytes(plan_.memory_limit)));
  }

  void check_memory(const PhasePlan& phase) const {
    const std::uint64_t buffer = buffer_of(phase);
    const double buffers = buffers_of(phase);
    if (buffers <= static_cast<double>(plan_.memory_limit)) return;
    throw Error(
        ErrorKind::unavailable,
        fmt::format("phase {}: {} x queue_depth {} x {} need {} of buffers, more than the memory_limit of "
                    "{}{}; use fewer of them or set `memory_limit`",
                    phase.name, counted(phase.threads, "thread"), phase.queue_depth, format_bytes(buffer),
                    format_bytes(static_cast<std::uint64_t>(std::min(buffers, 1e19))), format_bytes(plan_.memory_limit),
                    job_.memory_limit
                        ? ""
                        : fmt::format(" (a quarter of the {} of {})", format_bytes(memory_.bytes), memory_.what)));
  }

  void check_cpus(const PhasePlan& phase) const {
    if (phase.cpus.empty()) return;
    const std::vector<std::uint32_t> allowed = machine_.allowed_cpus();
    std::vector<std::uint32_t> missing;
    for (const std::uint32_t cpu : phase.cpus) {
      if (std::find(allowed.begin(), allowed.end(), cpu) == allowed.end()) missing.push_back(cpu);
    }
    if (missing.empty()) return;
    throw Error(ErrorKind::unavailable,
                fmt::format("phase {}: `cpus` asks for CPU {}, which this process may not use or this machine does not "
                            "have; it may use CPU {}",
                            phase.name, cpu_list_text(missing), cpu_list_text(allowed)));
  }

  const Job& job_;
  std::vector<Disk> disks_;  // the job's, with what sizes are shares of
  const PlanRequest& request_;
  const MachineView& machine_;
  Diagnostics& diagnostics_;
  AvailableMemory memory_;  // where the job sets no limit
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
