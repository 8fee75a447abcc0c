// Affinity by processor groups, so that CPUs beyond the 64th can be named too.
#include <fmt/format.h>

#include "support/cpu_groups.hpp"
#include "support/cpu_list.hpp"
#include "support/error.hpp"
#include "support/system_windows.hpp"
#include "support/thread_affinity.hpp"

namespace diskproof {
namespace {

CpuGroups groups_of_machine() {
  DWORD bytes = 0;
  GetLogicalProcessorInformationEx(RelationGroup, nullptr, &bytes);
  std::vector<std::byte> memory(bytes);
  auto* const found = reinterpret_cast<SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX*>(memory.data());
  if (bytes == 0 || GetLogicalProcessorInformationEx(RelationGroup, found, &bytes) == 0) return {};
  CpuGroups groups;
  for (WORD i = 0; i < found->Group.ActiveGroupCount; ++i) {
    const PROCESSOR_GROUP_INFO& group = found->Group.GroupInfo[i];
    groups.push_back({group.MaximumProcessorCount, group.ActiveProcessorMask});
  }
  return groups;
}

GroupCpus of_this_thread() {
  GROUP_AFFINITY now{};
  if (GetThreadGroupAffinity(GetCurrentThread(), &now) == 0) return {};
  return {now.Group, now.Mask};
}

bool apply(const GroupCpus& wanted) {
  GROUP_AFFINITY affinity{};
  affinity.Group = wanted.group;
  affinity.Mask = static_cast<KAFFINITY>(wanted.mask);
  return SetThreadGroupAffinity(GetCurrentThread(), &affinity, nullptr) != 0;
}

}  // namespace

std::vector<std::uint32_t> allowed_cpus() { return allowed_in(groups_of_machine(), of_this_thread()); }

void pin_this_thread(std::uint32_t cpu) {
  const std::optional<GroupCpus> place = find_cpu(groups_of_machine(), cpu);
  if (place && apply(*place)) return;
  const std::string why = place ? error_text(GetLastError()) : "there is no such CPU";
  throw Error(ErrorKind::unavailable, fmt::format("keeping a thread on CPU {}: {}; it may run on CPUs {}", cpu, why,
                                                  cpu_list_text(allowed_cpus())));
}

void keep_this_thread_off(const std::vector<std::uint32_t>& cpus) noexcept {
  apply(kept_off(groups_of_machine(), of_this_thread(), cpus));
}

}  // namespace diskproof
