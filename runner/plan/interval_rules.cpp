// Only whole intervals count: what is left of the window behind the last of them is none.
#include "plan/interval_rules.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "plan/group_phase.hpp"
#include "plan/timeouts.hpp"
#include "support/units.hpp"

namespace diskproof {
namespace {

constexpr std::uint64_t kShortestSample = 1'000'000;  // ns

bool is_spread(const ThresholdExpr& expr, std::string_view name) {
  return expr.metric.row->pattern == std::string("X.iops.").append(name);
}

// A spread is one of at least two values.
std::uint64_t needed(const ThresholdExpr& expr) {
  if (is_spread(expr, "cv")) return 2;
  const bool one = is_spread(expr, "min") || is_spread(expr, "max") || is_spread(expr, "p1") || is_spread(expr, "p5");
  return one || expr.interval_percent ? 1 : 0;
}

std::string never(const ThresholdExpr& expr) { return fmt::format("'{}' can never be measured: ", expr.check); }

std::string needs_two(const ThresholdExpr& expr) { return fmt::format(", and {} needs two", expr.metric.name); }

std::string longer_or_finer(std::uint64_t duration, std::uint64_t width, std::uint64_t count) {
  const std::string longer = fmt::format("use a duration of {} or more", format_ns(width * count));
  const std::uint64_t finer = duration / count;
  return finer < kShortestSample ? longer : fmt::format("{}, or a `sample` of {} or less", longer, format_ns(finer));
}

// Of the windows of a group, from the moment at which it starts. Phases that count have no known end.
struct Window {
  const Phase* phase = nullptr;
  std::uint64_t begin = 0, end = UINT64_MAX, last_whole = UINT64_MAX;
};

Window window_of(const Phase& phase, std::uint64_t width) {
  Window window{.phase = &phase, .begin = static_cast<std::uint64_t>(phase.warmup.count())};
  if (phase.stop.kind != StopRule::Kind::duration) return window;
  window.end = window.begin + phase.stop.value;
  window.last_whole = window.begin + phase.stop.value / width * width;
  return window;
}

}  // namespace

std::uint64_t interval_width(const Job& job, const Phase& phase) {
  const auto group = std::ranges::find(job.groups, phase.group, &Group::name);
  if (!phase.group.empty() && group != job.groups.end() && !group->rounds) return common_grid(job, *group);
  return phase.sample ? static_cast<std::uint64_t>(phase.sample->count()) : default_grid(phase.stop);
}

std::optional<TooFewIntervals> too_few_intervals(const Job& job, const Phase& phase, const ThresholdExpr& expr) {
  const std::uint64_t width = interval_width(job, phase);
  if (phase.stop.kind != StopRule::Kind::duration || width == 0) return std::nullopt;
  const std::uint64_t duration = phase.stop.value;
  const std::uint64_t whole = duration / width;
  if (whole >= needed(expr)) return std::nullopt;
  const std::string reason =
      whole == 0 ? fmt::format("the duration of {} has no whole interval of {}", format_ns(duration), format_ns(width))
                 : fmt::format("the duration of {} has one whole interval of {}{}", format_ns(duration),
                               format_ns(width), needs_two(expr));
  return TooFewIntervals{never(expr) + reason, longer_or_finer(duration, width, needed(expr))};
}

std::optional<TooFewIntervals> too_few_intervals(const Job& job, const Group& group, const ThresholdExpr& expr) {
  const std::uint64_t width = common_grid(job, group);
  if (group.rounds || group.phases.empty() || width == 0) return std::nullopt;
  Window last, first;  // to begin, and to end
  for (const std::size_t member : group.phases) {
    const Window window = window_of(job.phases[member], width);
    if (last.phase == nullptr || window.begin > last.begin) last = window;
    if (first.phase == nullptr || window.last_whole < first.last_whole) first = window;
  }
  const std::uint64_t whole = first.last_whole > last.begin ? (first.last_whole - last.begin) / width : 0;
  const std::string hint = "use longer durations or a shorter warm-up, or give it to one of the group's phases";
  if (whole == 0) {
    return TooFewIntervals{
        never(expr) + fmt::format("the phases have no whole interval of {} in common: {} ends {} after the start, and "
                                  "{} measures from {} on",
                                  format_ns(width), first.phase->name, format_ns(first.end), last.phase->name,
                                  format_ns(last.begin)),
        hint};
  }
  if (whole >= needed(expr)) return std::nullopt;
  return TooFewIntervals{never(expr) + fmt::format("the phases have one whole interval of {} in common{}",
                                                   format_ns(width), needs_two(expr)),
                         hint};
}

}  // namespace diskproof
