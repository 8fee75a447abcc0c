// CPUs in groups of at most 64, as Windows has them, under one row of numbers: group after group, each with as many
// numbers as it can hold.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace diskproof {

struct CpuGroup {
  std::uint32_t capacity = 0;  // numbers that it takes, at most 64
  std::uint64_t active = 0;    // CPUs that are there, by bit
};
using CpuGroups = std::vector<CpuGroup>;

// CPUs of one group: a thread runs in one at a time.
struct GroupCpus {
  std::uint16_t group = 0;
  std::uint64_t mask = 0;
  bool operator==(const GroupCpus&) const = default;
};

// Where that CPU is; none: it is not there.
std::optional<GroupCpus> find_cpu(const CpuGroups& groups, std::uint32_t cpu);

// What a thread with this mask may run on, ascending. One that has the whole of its group was never restricted, and may
// go to the other groups too.
std::vector<std::uint32_t> allowed_in(const CpuGroups& groups, const GroupCpus& now);

// `now` without these CPUs, in another group where its own has none left; `now` where nothing is left at all.
GroupCpus kept_off(const CpuGroups& groups, const GroupCpus& now, const std::vector<std::uint32_t>& cpus);

}  // namespace diskproof
