// Paths and sizes of a disk.
#include "plan/disk_plan.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "job/sizes.hpp"
#include "plan/gate_check.hpp"
#include "plan/url_plan.hpp"
#include "support/absolute_path.hpp"
#include "support/error.hpp"
#include "support/path_text.hpp"
#include "support/utf8.hpp"

namespace diskproof {
namespace {

constexpr std::uint64_t kFileBlock = 4096;  // file sizes are whole blocks, so that direct I/O reaches their end

// What the job says of the disk.
DiskPlan as_said(const Disk& disk) {
  DiskPlan plan;
  plan.name = disk.name;
  plan.kind = disk.kind;
  plan.capacity = disk.capacity.value_or(0);
  plan.keep = disk.keep;
  plan.fill = disk.fill;
  plan.overwrite = disk.overwrite;
  plan.limits = disk.limits;
  plan.identity = disk.identity;
  plan.destroy = disk.destroy;
  plan.filesystem = disk.filesystem;
  plan.prepare = disk.prepare;
  plan.throttle = disk.throttle;
  if (disk.kind == DiskKind::mount) plan.share = disk.share;
  return plan;
}

std::string work_folder(const Job& job, const Disk& disk, const PlanRequest& request) {
  return "diskproof-" + (disk.keep ? file_word(job.name) + "-" + file_word(disk.name) : request.run_id);
}

// A file system of the run's own holds nothing else.
void add_files(const Job& job, const Disk& disk, const PlanRequest& request, std::uint32_t files, DiskPlan& plan) {
  const std::string& base = disk.kind == DiskKind::directory ? plan.path : plan.mount_point;
  const std::string work = text_of(path_from(disk.subdirectory) / path_from(work_folder(job, disk, request)));
  plan.work_path = disk.filesystem ? plan.mount_point : absolute_path(base, work);
  for (std::uint32_t i = 0; i < files; ++i) plan.files.push_back(path_in(plan.work_path, fmt::format("t{}.dat", i)));
}

// By the engine of the first phase that is run on the disk.
void ask_server(const Job& job, Disk& disk, const MachineView& machine, const ChosenPhases& chosen) {
  const auto phase = std::ranges::find_if(
      job.phases, [&](const Phase& one) { return one.disk == disk.name && chosen.has(one) && !one.engines.empty(); });
  if (phase != job.phases.end()) look_at_url(job, *phase, machine, disk);
}

bool is_local(const Disk& disk) {
  return disk.kind != DiskKind::virtual_disk && disk.kind != DiskKind::mount && disk.kind != DiskKind::url;
}

// The plan travels as JSON, which holds no other bytes: another path would name another file.
void check_path(const std::string& path, const std::string& whose) {
  if (is_utf8(path)) return;
  throw Error(ErrorKind::unavailable, fmt::format("the path of {} is not UTF-8, and cannot be used: '{}'; rename the "
                                                  "folder, or give a path elsewhere",
                                                  whose, path));
}

}  // namespace

DiskPlan plan_disk(const Job& job, Disk& disk, const PlanRequest& request, const MachineView& machine,
                   const ChosenPhases& chosen) {
  DiskPlan plan = as_said(disk);
  if (disk.kind == DiskKind::url) ask_server(job, disk, machine, chosen);
  std::uint32_t files = 0;
  bool shares = false;
  const auto uses = [&](const Phase& phase) {
    return phase.disk == disk.name && chosen.has(phase) && !phase.verify.checks();
  };
  for (const Phase& phase : job.phases) {
    if (!uses(phase)) continue;
    files = std::max(files, files_of(disk, phase));
    shares = shares || (phase.size && phase.size->percent);
  }
  if (disk.kind == DiskKind::url) plan_url(disk, work_folder(job, disk, request), files, shares, plan);
  if (is_local(disk)) plan.path = absolute_path(request.working_dir, disk.path);
  if (disk.kind == DiskKind::mount || disk.filesystem) plan.mount_point = request.mount_point(disk.name);
  if (disk.kind == DiskKind::file && files > 0) plan.files = {plan.path};
  if (holds_files(disk) && disk.kind != DiskKind::url) add_files(job, disk, request, files, plan);
  const bool known = disk.capacity && !disk.filesystem;
  if (shares && !known) disk.capacity = machine.whole_size(plan);
  // What is written to a loop is written to its image.
  if (disk.kind == DiskKind::loop && !disk.filesystem && files > 0) plan.files = {plan.path};
  for (const Phase& phase : job.phases) {
    if (uses(phase)) plan.file_size = std::max(plan.file_size, file_size_of(disk, phase));
  }
  if (disk.kind != DiskKind::virtual_disk) plan.file_size = (plan.file_size + kFileBlock - 1) / kFileBlock * kFileBlock;
  return plan;
}

void check_paths(const Job& job, const Plan& plan, Diagnostics& diagnostics) {
  std::set<std::string> seen;
  check_path(plan.out_dir, "the report folder");
  for (const DiskPlan& disk : plan.disks) {
    check_path(disk.path, "disk " + disk.name);
    for (const std::string& file : disk.files) {
      if (seen.insert(file).second) continue;
      diagnostics.push_back(error_at(job, "disks." + disk.name, "another disk of this job uses " + file + " already",
                                     "give it another path"));
    }
  }
}

}  // namespace diskproof
