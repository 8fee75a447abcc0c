// CPU numbers as people write them: "2-3", and sets of them as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/units.hpp"

namespace diskproof {

inline constexpr std::uint32_t kHighestCpu = 65535;

// "2-3" or "5": the CPUs in ascending order.
Parsed<std::vector<std::uint32_t>> parse_cpu_range(std::string_view text);

// "0-3, 8": in ascending order, without repetitions.
std::string cpu_list_text(std::vector<std::uint32_t> cpus);

}  // namespace diskproof
