// The common window is known by its rows: counts, rates, mean and maximum of the latency, no percentiles.
#include "plan/group_check.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "plan/gate_check.hpp"
#include "plan/group_phase.hpp"
#include "plan/interval_rules.hpp"
#include "support/units.hpp"
#include "verdict/limits.hpp"
#include "verdict/threshold_expr.hpp"

namespace diskproof {
namespace {

constexpr std::array<std::string_view, 12> kOfRows{"X.operations", "X.bytes",    "X.errors",       "X.iops",
                                                   "X.bandwidth",  "X.iops.min", "X.iops.max",     "X.iops.cv",
                                                   "X.iops.p1",    "X.iops.p5",  "X.latency.mean", "X.latency.max"};

class GroupGates {
 public:
  GroupGates(const Job& job, const Group& group, Diagnostics& diagnostics)
      : job_(job), group_(group), diagnostics_(diagnostics) {}

  void check(bool spelling_only) {
    if (!spelling_only && !group_.rounds) check_grid();
    for (std::size_t i = 0; i < group_.thresholds.size(); ++i) {
      path_ = fmt::format("{}.thresholds[{}]", group_.path, i);
      const CompiledThreshold compiled = compile_threshold(group_.thresholds[i]);
      if (const auto* fault = std::get_if<ThresholdError>(&compiled)) {
        error(fault->text, fault->hint);
      } else if (!spelling_only) {
        check_threshold(std::get<ThresholdExpr>(compiled));
      }
    }
  }

 private:
  void error(std::string message, std::string hint) {
    diagnostics_.push_back(error_at(job_, path_, std::move(message), std::move(hint)));
  }

  [[nodiscard]] const Phase& member(std::size_t position) const { return job_.phases[group_.phases[position]]; }

  // Rows of the phases have to lie on each other.
  void check_grid() {
    const std::uint64_t grid = common_grid(job_, group_);
    if (grid == 0) return;
    for (std::size_t i = 0; i < group_.phases.size(); ++i) {
      const Phase& phase = member(i);
      if (phase.sample && static_cast<std::uint64_t>(phase.sample->count()) != grid) {
        path_ = phase.path + ".sample";
        error("phases that run in parallel have one width of intervals, so that these can be summed",
              "give `sample` to the group");
      }
      const auto apart = (phase.warmup - member(0).warmup).count();
      if (apart % static_cast<std::int64_t>(grid) != 0) {
        path_ = phase.path + ".warmup";
        error(fmt::format("differs from that of {} by no whole interval of {}, so theirs could not be summed",
                          member(0).name, format_ns(grid)),
              "use the same warm-up, or another `sample`");
      }
    }
  }

  [[nodiscard]] OperationMix mix() const {
    OperationMix sum{0, 0, 0};
    const double parts = static_cast<double>(group_.phases.size());
    for (std::size_t i = 0; i < group_.phases.size(); ++i) {
      sum.read += member(i).operations.read / parts;
      sum.write += member(i).operations.write / parts;
      sum.trim += member(i).operations.trim / parts;
    }
    return sum;
  }

  [[nodiscard]] bool issues(const std::string& direction) const {
    const OperationMix all = mix();
    const auto flushes = [this](std::size_t position) { return job_.phases[position].fsync.wanted(); };
    if (direction == "sync") return std::ranges::any_of(group_.phases, flushes);
    return direction == "total" || (direction == "read" && all.read > 0) || (direction == "write" && all.write > 0) ||
           (direction == "trim" && all.trim > 0);
  }

  void check_threshold(const ThresholdExpr& expr) {
    if (std::ranges::find(kOfRows, expr.metric.row->pattern) == kOfRows.end()) {
      return error(fmt::format("'{}' cannot be judged over the time that the phases have in common: known of it are "
                               "counts, iops, bandwidth, latency.mean and latency.max",
                               expr.check),
                   "give it to one of the group's phases");
    }
    if (!issues(expr.metric.direction)) {
      return error(fmt::format("'{}' can never be measured: no phase of the group issues {} operations", expr.check,
                               expr.metric.direction),
                   "change `operations` or the metric");
    }
    if (expr.phase) {
      return error(fmt::format("'{}' compares with another phase, which only a phase can", expr.check),
                   "give it to one of the group's phases, or use a number");
    }
    if (auto fault = too_few_intervals(job_, group_, expr)) {
      return error(std::move(fault->reason), std::move(fault->hint));
    }
    if (expr.limit) check_limit(expr);
  }

  void check_limit(const ThresholdExpr& expr) {
    const PhasePlan plan = make_group_phase(job_, group_, members_of_job(job_, group_));
    const LoadShape shape = planned_shape(mix(), mean_block(member(0).block_size, member(0).block_sizes));
    if (tightest_limit(plan.limits, expr.metric, shape, expr.limit->group)) return;
    error(fmt::format("'{}' is a share of a limit, but no limit that all phases of the group share applies to {}",
                      expr.check, expr.metric.name),
          "use a number, or phases of one disk with the same limits");
  }

  const Job& job_;
  const Group& group_;
  Diagnostics& diagnostics_;
  std::string path_;
};

}  // namespace

void check_group_gates(const Job& job, const Group& group, bool spelling_only, Diagnostics& diagnostics) {
  GroupGates(job, group, diagnostics).check(spelling_only);
}

}  // namespace diskproof
