// Buffers start on pages.
#include "plan/resource_check.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "support/counted.hpp"
#include "support/cpu_list.hpp"
#include "support/error.hpp"
#include "support/units.hpp"

namespace diskproof {
namespace {

constexpr std::uint64_t kPage = 4096;  // that a buffer starts on

std::uint64_t buffer_of(const PhasePlan& phase) { return (phase.block_size + kPage - 1) / kPage * kPage; }

double buffers_of(const PhasePlan& phase) {
  const double repeated = phase.data.dedupe > 0 ? kRepeatedBlocks : 0;  // per thread, that writes are copied from
  return phase.threads * (phase.queue_depth + repeated) * static_cast<double>(buffer_of(phase));
}

std::string size_text(double bytes) { return format_bytes(static_cast<std::uint64_t>(std::min(bytes, 1e19))); }

}  // namespace

MemoryBudget memory_budget(const Job& job, const MachineView& machine) {
  if (job.memory_limit) return {.limit = *job.memory_limit, .set_by_job = true, .available = {}};
  AvailableMemory available = machine.available_memory();
  const std::uint64_t quarter = available.bytes / 4;
  return {.limit = quarter, .set_by_job = false, .available = std::move(available)};
}

void check_memory(const Group& group, const std::vector<PhasePlan>& members, const MemoryBudget& memory) {
  double buffers = 0;
  for (const PhasePlan& member : members) buffers += buffers_of(member);
  if (buffers <= static_cast<double>(memory.limit)) return;
  throw Error(ErrorKind::unavailable,
              fmt::format("group {}: its {} phases together need {} of buffers, more than the memory_limit of {}; use "
                          "fewer threads, depths or phases, or set `memory_limit`",
                          group.name, members.size(), size_text(buffers), format_bytes(memory.limit)));
}

void check_memory(const PhasePlan& phase, const MemoryBudget& memory) {
  const double buffers = buffers_of(phase);
  if (buffers <= static_cast<double>(memory.limit)) return;
  const AvailableMemory& available = memory.available;
  throw Error(ErrorKind::unavailable,
              fmt::format("phase {}: {} x queue_depth {} x {} need {} of buffers, more than the memory_limit of "
                          "{}{}; use fewer of them or set `memory_limit`",
                          phase.name, counted(phase.threads, "thread"), phase.queue_depth,
                          format_bytes(buffer_of(phase)), size_text(buffers), format_bytes(memory.limit),
                          memory.set_by_job ? ""
                                            : fmt::format(" (a quarter of the {} of {})", format_bytes(available.bytes),
                                                          available.what)));
}

void check_cpus(const PhasePlan& phase, const MachineView& machine) {
  if (phase.cpus.empty()) return;
  const std::vector<std::uint32_t> allowed = machine.allowed_cpus();
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

}  // namespace diskproof
