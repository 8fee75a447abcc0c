// Times are since the go that all phases of the group got.
#include "report/groups.hpp"

#include <fmt/format.h>

#include "report/facts.hpp"
#include "support/units.hpp"

namespace diskproof {
namespace {

std::string span_text(std::uint64_t begin, std::uint64_t end) {
  const auto text = [](std::uint64_t ns) { return ns == 0 ? "0 s" : format_ns(ns); };
  return text(begin) + " to " + text(end);
}

std::string numbers(const PhaseMetrics& metrics) {
  std::string text;
  for (const char* direction : {"read", "write", "trim", "total"}) {
    for (const char* metric : {".iops", ".bandwidth"}) {
      const std::string name = std::string(direction) + metric;
      if (const auto value = metrics.find(name))
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, metric_text(name, *value));
    }
  }
  if (const auto count = metrics.find("total.operations")) text += fmt::format(" ({:.0f} operations)", *count);
  return text.empty() ? "nothing was measured" : text;
}

}  // namespace

std::string window_text(const PhaseReport& phase) {
  return phase.data ? span_text(phase.data->window_begin, phase.data->window_end) : "";
}

std::string window_text(const CommonWindow& common) { return span_text(common.begin, common.end); }

std::vector<GroupLine> group_lines(const PhaseReport& phase) {
  if (phase.kind != "group" || !phase.data) return {};
  std::vector<GroupLine> lines{{"whole run", window_text(phase) + ": " + numbers(phase.metrics)}};
  if (phase.common) {
    lines.push_back({"in common", window_text(*phase.common) + ": " + numbers(phase.common->metrics)});
  } else {
    lines.push_back({"in common", "no whole interval"});
  }
  return lines;
}

}  // namespace diskproof
