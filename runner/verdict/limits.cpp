// With a fixed mix and block size every rate of a load is proportional to its total IOPS T: X.iops = T x share,
// X.bandwidth = T x share x block. A limit L on one rate therefore is L x weight(wanted) / weight(limited) on another.
#include "verdict/limits.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace diskproof {
namespace {

constexpr std::array<std::string_view, 3> kNames{"read", "write", "trim"};

struct Rate {
  std::string_view direction;
  bool bandwidth = false;
};

std::optional<Rate> rate_of(std::string_view entry) {
  const std::size_t point = entry.find('.');
  if (point == std::string_view::npos) return std::nullopt;
  const std::string_view kind = entry.substr(point + 1);
  if (kind != "iops" && kind != "bandwidth") return std::nullopt;
  return Rate{entry.substr(0, point), kind == "bandwidth"};
}

// The rate as a multiple of total IOPS; 0: unknown, or not part of the load.
double weight(const Rate& rate, const LoadShape& shape) {
  if (rate.direction == "total") return rate.bandwidth ? shape.block : 1;
  const auto found = std::ranges::find(kNames, rate.direction);
  if (found == kNames.end()) return 0;
  const LoadShape::Part& part = shape.parts[static_cast<std::size_t>(found - kNames.begin())];
  return rate.bandwidth ? part.share * part.block : part.share;
}

// A direction is bound by its own limits and by total ones, total by all.
bool concerns(const Rate& limited, const Rate& wanted) {
  return wanted.direction == "total" || limited.direction == "total" || limited.direction == wanted.direction;
}

std::optional<double> convert(double limit, const Rate& limited, const Rate& wanted, const LoadShape& shape) {
  if (!concerns(limited, wanted)) return std::nullopt;
  if (limited.direction == wanted.direction && limited.bandwidth == wanted.bandwidth) return limit;
  const double from = weight(limited, shape);
  const double to = weight(wanted, shape);
  if (!(from > 0) || !(to > 0)) return std::nullopt;
  return limit * to / from;
}

}  // namespace

LoadShape measured_shape(const PhaseMetrics& metrics) {
  const auto value = [&](std::string_view direction, std::string_view name) {
    return metrics.find(fmt::format("{}.{}", direction, name)).value_or(0);
  };
  const auto block = [&](std::string_view direction) {
    const double operations = value(direction, "operations");
    return operations > 0 ? value(direction, "bytes") / operations : 0;
  };
  LoadShape shape;
  const double issued = value("total", "operations") + value("total", "errors");
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    const double part = value(kNames[i], "operations") + value(kNames[i], "errors");
    shape.parts[i] = {issued > 0 ? part / issued : 0, block(kNames[i])};
  }
  shape.block = block("total");
  return shape;
}

LoadShape planned_shape(const OperationMix& mix, double mean_block) {
  return {{{{mix.read / 100, mean_block}, {mix.write / 100, mean_block}, {mix.trim / 100, mean_block}}}, mean_block};
}

std::optional<HeldLimit> tightest_limit(std::span<const LimitGroup> groups, const MetricInfo& metric,
                                        const LoadShape& shape, const std::optional<std::string>& only_group) {
  const Rate wanted{metric.direction, metric.row->unit == MetricUnit::bytes_per_second};
  std::optional<HeldLimit> held;
  for (const LimitGroup& group : groups) {
    if (only_group && group.name != *only_group) continue;
    for (const auto& [entry, limit] : group.values) {
      const auto limited = rate_of(entry);
      const auto value = limited ? convert(limit, *limited, wanted, shape) : std::nullopt;
      if (value && (!held || *value < held->value)) held = HeldLimit{*value, group.name, entry};
    }
  }
  return held;
}

std::string describe(const HeldLimit& limit, MetricUnit unit) {
  return fmt::format("limit {} ({} {})", format_metric(limit.value, unit), limit.group.empty() ? "disk" : limit.group,
                     limit.metric);
}

}  // namespace diskproof
