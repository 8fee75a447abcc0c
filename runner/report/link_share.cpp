// The metrics of a phase, held against the limits named link.
#include "report/link_share.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "report/columns.hpp"
#include "report/facts.hpp"

namespace diskproof {
namespace {

const LimitGroup* link_of(const RunReport& report, const std::string& phase) {
  const auto plan = std::ranges::find(report.plan.phases, phase, &PhasePlan::name);
  if (plan == report.plan.phases.end()) return nullptr;
  const auto link = std::ranges::find(plan->limits, "link", &LimitGroup::name);
  return link == plan->limits.end() ? nullptr : &*link;
}

}  // namespace

std::vector<LinkShare> link_shares(const RunReport& report) {
  std::vector<LinkShare> shares;
  for (const PhaseReport& phase : report.phases) {
    const LimitGroup* link = link_of(report, phase.name);
    if (link == nullptr || phase.kind != "measure") continue;
    for (const char* direction : {"read", "write", "total"}) {
      const std::string metric = std::string(direction) + ".bandwidth";
      const auto limit = link->values.find(metric);
      const double reached = phase.metrics.find(metric).value_or(0);
      if (limit != link->values.end() && limit->second > 0 && reached > 0)
        shares.push_back({phase.name, direction, reached, limit->second});
    }
  }
  return shares;
}

std::string link_text(const LinkShare& share) {
  const std::string metric = share.direction + ".bandwidth";
  return fmt::format("{}: {} {:.3g} % of the link ({} of {})", share.phase, share.direction,
                     100 * share.bandwidth / share.limit, metric_text(metric, share.bandwidth),
                     metric_text(metric, share.limit));
}

}  // namespace diskproof
