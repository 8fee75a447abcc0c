#include "support/cpu_groups.hpp"

namespace diskproof {
namespace {

constexpr std::uint64_t bit(std::uint32_t index) { return std::uint64_t{1} << index; }

bool is_whole_group(const CpuGroups& groups, const GroupCpus& now) {
  return now.group < groups.size() && now.mask == groups[now.group].active;
}

std::uint64_t without(const CpuGroups& groups, GroupCpus left, const std::vector<std::uint32_t>& cpus) {
  for (const std::uint32_t cpu : cpus) {
    const std::optional<GroupCpus> place = find_cpu(groups, cpu);
    if (place && place->group == left.group) left.mask &= ~place->mask;
  }
  return left.mask;
}

}  // namespace

std::optional<GroupCpus> find_cpu(const CpuGroups& groups, std::uint32_t cpu) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (cpu < groups[i].capacity) {
      if ((groups[i].active & bit(cpu)) == 0) return std::nullopt;
      return GroupCpus{static_cast<std::uint16_t>(i), bit(cpu)};
    }
    cpu -= groups[i].capacity;
  }
  return std::nullopt;
}

std::vector<std::uint32_t> allowed_in(const CpuGroups& groups, const GroupCpus& now) {
  const bool everywhere = is_whole_group(groups, now);
  std::vector<std::uint32_t> cpus;
  std::uint32_t first = 0;
  for (std::size_t i = 0; i < groups.size(); first += groups[i++].capacity) {
    const std::uint64_t mask = everywhere ? groups[i].active : i == now.group ? now.mask : 0;
    for (std::uint32_t index = 0; index < groups[i].capacity; ++index) {
      if ((mask & bit(index)) != 0) cpus.push_back(first + index);
    }
  }
  return cpus;
}

GroupCpus kept_off(const CpuGroups& groups, const GroupCpus& now, const std::vector<std::uint32_t>& cpus) {
  if (const std::uint64_t left = without(groups, now, cpus); left != 0) return {now.group, left};
  if (!is_whole_group(groups, now)) return now;
  for (std::uint16_t i = 0; i < groups.size(); ++i) {
    const std::uint64_t left = without(groups, {i, groups[i].active}, cpus);
    if (left != 0) return {i, left};
  }
  return now;
}

}  // namespace diskproof
