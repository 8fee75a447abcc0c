// A server is asked for what its URL leads to, and for nothing else.
#include "plan/url_plan.hpp"

#include <fmt/format.h>

#include "plan/engine_choice.hpp"
#include "support/error.hpp"
#include "support/url_text.hpp"

namespace diskproof {

void look_at_url(const Job& job, const Phase& phase, const MachineView& machine, Disk& disk) {
  constexpr std::uint64_t kPage = 4096;
  Diagnostics faults;
  const EnginePlan engine = choose_engine(job, disk, phase, phase.path, machine, faults);
  if (engine.name.empty() || has_errors(faults)) return;
  const UrlFacts facts = machine.url_facts(engine, disk.path);
  disk.url_is_file = !facts.folder;
  if (!facts.folder) disk.capacity = facts.size / kPage * kPage;
}

void plan_url(const Disk& disk, const std::string& work_folder, std::uint32_t files, bool shares, DiskPlan& plan) {
  plan.path = disk.path;
  if (disk.url_is_file) {
    if (files > 0) plan.files = {plan.path};
    return;
  }
  if (shares)
    throw Error(ErrorKind::unavailable,
                fmt::format("disk {}: `size` is a share of {}, and no server is asked how much it holds; write a size "
                            "such as 1GiB",
                            disk.name, disk.path));
  std::string below = disk.subdirectory;
  while (below.ends_with('/')) below.pop_back();
  plan.work_path = (below.empty() ? "" : below + "/") + work_folder;
  for (std::uint32_t i = 0; i < files; ++i)
    plan.files.push_back(url_of(plan.path, fmt::format("{}/t{}.dat", plan.work_path, i)));
}

}  // namespace diskproof
