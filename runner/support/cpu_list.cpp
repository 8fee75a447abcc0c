// Ranges of CPU numbers.
#include "support/cpu_list.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace diskproof {

Parsed<std::vector<std::uint32_t>> parse_cpu_range(std::string_view text) {
  using Result = Parsed<std::vector<std::uint32_t>>;
  const auto dash = text.find('-');
  const auto first = parse_integer(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : parse_integer(text.substr(dash + 1));
  const std::string shown = fmt::format("'{}'", text.substr(0, 60));
  if (!first || !last) return Result::fail(shown + " is not a CPU or a range of them such as \"2-3\"");
  if (*first > *last) return Result::fail(shown + " ends before it starts");
  if (*last > kHighestCpu) return Result::fail(fmt::format("{} goes beyond CPU {}", shown, kHighestCpu));
  std::vector<std::uint32_t> cpus(*last - *first + 1);
  std::iota(cpus.begin(), cpus.end(), static_cast<std::uint32_t>(*first));
  return Result::ok(std::move(cpus));
}

std::string cpu_list_text(std::vector<std::uint32_t> cpus) {
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  std::string text;
  for (std::size_t begin = 0, end = 0; begin < cpus.size(); begin = end) {
    end = begin + 1;
    while (end < cpus.size() && cpus[end] == cpus[end - 1] + 1) ++end;
    if (!text.empty()) text += ", ";
    text += end - begin == 1 ? fmt::format("{}", cpus[begin]) : fmt::format("{}-{}", cpus[begin], cpus[end - 1]);
  }
  return text;
}

}  // namespace diskproof
