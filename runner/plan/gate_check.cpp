// One small rule per function; each looks at one compiled threshold in its phase.
#include "plan/gate_check.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "job/phase_names.hpp"
#include "plan/group_check.hpp"
#include "plan/interval_rules.hpp"
#include "plan/rate.hpp"
#include "support/counted.hpp"
#include "support/units.hpp"
#include "verdict/findings.hpp"
#include "verdict/limits.hpp"
#include "verdict/threshold_expr.hpp"

namespace diskproof {
namespace {

constexpr double kNeededBeyond = 10;  // operations beyond a percentile, else it is inconclusive

Diagnostic diagnostic_at(const Job& job, Diagnostic::Level level, std::string path, std::string message,
                         std::string hint) {
  SourceMap::Shown shown = job.source.shown(path);
  return {level,
          job.file,
          job.source.find(path),
          std::move(shown.path),
          std::move(message),
          std::move(hint),
          std::move(shown.cell)};
}

class GateRules {
 public:
  GateRules(const Job& job, const Phase& phase, Diagnostics& diagnostics)
      : job_(job),
        index_(static_cast<std::size_t>(&phase - job.phases.data())),
        phase_(phase),
        phase_path_(phase.path),
        diagnostics_(diagnostics) {}

  void check(bool spelling_only) {
    if (!spelling_only) check_rate();
    for (std::size_t i = 0; i < phase_.thresholds.size(); ++i) {
      path_ = fmt::format("{}.thresholds[{}]", phase_path_, i);
      const CompiledThreshold compiled = compile_threshold(phase_.thresholds[i]);
      if (const auto* fault = std::get_if<ThresholdError>(&compiled)) {
        error(fault->text, fault->hint);
        continue;
      }
      if (spelling_only) continue;
      const auto& expr = std::get<ThresholdExpr>(compiled);
      if (!check_direction(expr) || !check_paced(expr) || !check_verified(expr) || !check_repeated(expr) ||
          !check_intervals(expr))
        continue;
      check_limit(expr);
      check_other_phase(expr);
      check_little(expr);
      check_sample_count(expr);
    }
    for (std::size_t i = 0; i < phase_.aborts.size(); ++i) check_abort(i, spelling_only);
  }

 private:
  void error(std::string message, std::string hint) {
    diagnostics_.push_back(error_at(job_, path_, std::move(message), std::move(hint)));
  }

  // Share of the phase's operations that the metric is about, 0…1.
  static double share_of(const Phase& phase, const std::string& direction) {
    if (direction == "read") return phase.operations.read / 100 + read_back_share(phase);
    if (direction == "write") return phase.operations.write / 100;
    if (direction == "trim") return phase.operations.trim / 100;
    return direction == "sync" ? flush_share(phase) : 1;
  }
  [[nodiscard]] double share_of(const std::string& direction) const { return share_of(phase_, direction); }

  // What is read back while it is written comes on top, and counts in read.*.
  static double read_back_share(const Phase& phase) { return phase.verify.during / 100 * phase.operations.write / 100; }

  // Flushes per operation; those at the end do not count.
  static double flush_share(const Phase& phase) {
    const auto every = static_cast<double>(phase.fsync.every);
    return every > 0 ? phase.operations.write / 100 / every : 0;
  }

  // What only an open loop measures.
  static bool needs_rate(const MetricInfo& metric) {
    const std::string_view pattern = metric.row->pattern;
    return pattern.starts_with("X.service_latency.") || pattern.starts_with("rate.") ||
           pattern.starts_with("runner.lateness.");
  }

  void check_abort(std::size_t number, bool spelling_only) {
    path_ = fmt::format("{}.abort[{}]", phase_path_, number);
    const CompiledThreshold compiled = compile_abort(phase_.aborts[number]);
    if (const auto* fault = std::get_if<ThresholdError>(&compiled)) return error(fault->text, fault->hint);
    if (spelling_only) return;
    const auto& expr = std::get<ThresholdExpr>(compiled);
    if (!check_direction(expr)) return;
    check_limit(expr);
    check_other_phase(expr);
    const std::uint64_t sample = interval_width(job_, phase_);
    if (*expr.sustained < sample) {
      error(fmt::format("{} is shorter than an interval of {}, which is what it is judged by",
                        format_ns(*expr.sustained), format_ns(sample)),
            "use a longer time, or a shorter `sample`");
    } else if (phase_.stop.kind == StopRule::Kind::duration && *expr.sustained > phase_.stop.value) {
      error(fmt::format("{} is longer than the phase's duration of {}, so it never ends it", format_ns(*expr.sustained),
                        format_ns(phase_.stop.value)),
            "use a shorter time");
    }
  }

  // That one earlier phase has the name, and measures the metric.
  void check_other_phase(const ThresholdExpr& expr) {
    if (!expr.phase) return;
    const std::string& name = expr.phase->name;
    const auto named = [&](const Phase& phase) { return phase.name == name; };
    const auto other = std::find_if(job_.phases.begin(), job_.phases.end(), named);
    if (other == job_.phases.end()) {
      const std::size_t several = phases_named(job_, name).size();
      if (several > 0)
        return error(fmt::format("'{}' names {} phases, and a value comes from one", name, several),
                     "name one of them, such as " + job_.phases[phases_named(job_, name)[0]].name);
      return error(fmt::format("'{}' is not a phase of this job", name), phase_name_hint(job_, name));
    }
    const auto at = static_cast<std::size_t>(other - job_.phases.begin());
    if (at == index_) return error(fmt::format("'{}' is the phase itself", name), "name an earlier phase");
    if (at > index_) return error(fmt::format("'{}' runs after this phase", name), "name an earlier phase");
    const bool issued = issues(*other, expr.metric.direction) && !other->only_precondition;
    ThresholdExpr there = expr;
    there.interval_percent.reset();  // that looks at the intervals of this phase
    if (!issued || (needs_rate(expr.metric) && !other->rate) || too_few_intervals(job_, *other, there)) {
      error(fmt::format("phase {} never measures {}", name, expr.metric.name), "name a phase that does");
    }
  }

  static bool issues(const Phase& phase, const std::string& direction) {
    const bool flushes = phase.fsync.wanted() && phase.operations.write > 0;
    return direction == "sync" ? flushes : share_of(phase, direction) > 0;
  }

  bool check_direction(const ThresholdExpr& expr) {
    if (issues(phase_, expr.metric.direction)) return true;
    error(
        fmt::format("'{}' can never be measured: the phase issues no {} operations", expr.check, expr.metric.direction),
        expr.metric.direction == "sync" ? "add `fsync:` to a phase that writes, or change the metric"
                                        : "change `operations` or the metric");
    return false;
  }

  bool check_paced(const ThresholdExpr& expr) {
    if (!needs_rate(expr.metric) || phase_.rate) return true;
    error(fmt::format("'{}' can never be measured: the phase has no rate", expr.check),
          "add `rate:` or change the metric");
    return false;
  }

  // What only reading back finds.
  bool check_verified(const ThresholdExpr& expr) {
    const bool reads_back = phase_.verify.checks() || phase_.verify.during > 0;
    if (!expr.metric.name.starts_with("verify.") || reads_back) return true;
    error(fmt::format("'{}' can never be measured: the phase reads nothing back", expr.check),
          "give it to a phase with verify: {of: PHASE}, or add during: N% to verify");
    return false;
  }

  // What only several runs have.
  bool check_repeated(const ThresholdExpr& expr) {
    if (!is_merged(expr.metric) || phase_.repeat.count > 1) return true;
    error(fmt::format("'{}' can never be measured: the phase runs once", expr.check),
          "add `repeat:` or leave out `merged.`");
    return false;
  }

  bool check_intervals(const ThresholdExpr& expr) {
    auto fault = too_few_intervals(job_, phase_, expr);
    if (fault) error(std::move(fault->reason), std::move(fault->hint));
    return !fault;
  }

  void check_rate() {
    if (!phase_.rate) return;
    path_ = phase_path_ + (phase_.rate->bandwidth ? ".rate.bandwidth" : ".rate.iops");
    const auto rate = planned_rate(phase_);
    if (!rate) {
      error("is a share of a limit, but no limit of the disk or the phase applies to the load",
            fmt::format("write `limits: {{total.iops: VALUE}}` on disk {}", phase_.disk));
    } else if (*rate < kLowestRate || *rate > kHighestRate) {
      error(fmt::format("gives {:.6g} operations per second, which is outside 0.001 to 1,000,000,000", *rate),
            "use another rate or block_size");
    }
  }

  [[nodiscard]] std::optional<HeldLimit> limit_for(const MetricInfo& metric,
                                                   const std::optional<std::string>& group) const {
    return tightest_limit(phase_.limits, metric,
                          planned_shape(phase_.operations, mean_block(phase_.block_size, phase_.block_sizes)), group);
  }

  void check_limit(const ThresholdExpr& expr) {
    if (!expr.limit || limit_for(expr.metric, expr.limit->group)) return;
    const std::optional<std::string>& group = expr.limit->group;
    const std::string where = group ? "in group " + *group : "of the disk or the phase";
    const std::string value = expr.metric.name + ": VALUE";
    error(fmt::format("'{}' is a share of a limit, but no limit {} applies to {}", expr.check, where, expr.metric.name),
          fmt::format("write `limits: {{{}}}` on disk {}", group ? fmt::format("{}: {{{}}}", *group, value) : value,
                      phase_.disk));
  }

  // Little's law: with threads x depth in flight and at most `limit` completions a second, the mean time of an I/O
  // is at least their quotient.
  void check_little(const ThresholdExpr& expr) {
    const bool upper = expr.comparison == Comparison::at_most || expr.comparison == Comparison::below;
    const bool mean = expr.metric.name == expr.metric.direction + ".latency.mean";
    const bool whole_load = expr.metric.direction != "sync" && share_of(expr.metric.direction) >= 1;
    // Else the queue may be empty, or holds others too.
    const bool full = !phase_.rate && phase_.think_time.count() == 0 && phase_.verify.during == 0;
    if (!upper || !mean || !whole_load || expr.limit || expr.phase || !full) return;
    const auto iops = find_metric(expr.metric.direction + ".iops");
    const auto limit = iops ? limit_for(*iops, {}) : std::nullopt;
    if (!limit || limit->value <= 0) return;
    const double in_flight = static_cast<double>(phase_.threads) * phase_.queue_depth;
    const double least = in_flight / limit->value * 1e9;
    if (expr.number >= least) return;
    error(fmt::format("'{}' cannot hold within the limits: {} I/Os in flight ({} x queue_depth {}) at {} wait {} "
                      "on average (Little's law)",
                      expr.check, in_flight, counted(phase_.threads, "thread"), phase_.queue_depth,
                      describe(*limit, MetricUnit::per_second), format_metric(least, MetricUnit::nanoseconds)),
          "use a smaller queue_depth, or bound a latency that the limit allows");
  }

  void check_sample_count(const ThresholdExpr& expr) {
    if (phase_.stop.kind != StopRule::Kind::operations || !expr.metric.percentile || expr.interval_percent) return;
    const double beyond_share = 1 - static_cast<double>(*expr.metric.percentile) / (100.0 * kMillionths);
    if (beyond_share <= 0) return;  // p100 is the exact maximum
    const double share = share_of(expr.metric.direction);
    if (share <= 0) return;  // flushes at the end only
    const std::uint32_t runs = is_merged(expr.metric) ? phase_.repeat.count - phase_.repeat.discard : 1;
    const double expected = static_cast<double>(phase_.stop.value) * share * runs;
    if (expected * beyond_share >= kNeededBeyond * (1 - 1e-9)) return;
    diagnostics_.push_back(warning_at(
        job_, path_,
        fmt::format("'{}' will be inconclusive: about {:.0f} operations leave {:.1f} beyond {}, and {:.0f} are needed",
                    expr.check, expected, expected * beyond_share, percentile_label(*expr.metric.percentile),
                    kNeededBeyond),
        fmt::format("set operations_count to {:.0f} or more",
                    std::ceil(kNeededBeyond / beyond_share / share / runs - 1e-6))));
  }

  const Job& job_;
  const std::size_t index_;
  const Phase& phase_;
  std::string phase_path_, path_;
  Diagnostics& diagnostics_;
};

}  // namespace

Diagnostic error_at(const Job& job, std::string path, std::string message, std::string hint) {
  return diagnostic_at(job, Diagnostic::Level::error, std::move(path), std::move(message), std::move(hint));
}

Diagnostic warning_at(const Job& job, std::string path, std::string message, std::string hint) {
  return diagnostic_at(job, Diagnostic::Level::warning, std::move(path), std::move(message), std::move(hint));
}

void check_gates(const Job& job, Diagnostics& diagnostics) {
  const bool spelling_only = has_errors(diagnostics);
  for (const Phase& phase : job.phases) GateRules(job, phase, diagnostics).check(spelling_only);
  for (const Group& group : job.groups) check_group_gates(job, group, spelling_only, diagnostics);
  if (spelling_only) return;
  const auto has_gates = [](const auto& part) { return !part.thresholds.empty(); };
  const auto verifies = [](const Phase& phase) { return phase.verify.checks() || phase.verify.during > 0; };
  if (std::ranges::any_of(job.phases, verifies) || std::ranges::any_of(job.phases, has_gates) ||
      std::ranges::any_of(job.groups, has_gates))
    return;
  Severity severity = Severity::ignore;  // the strictest word of all phases counts
  for (const Phase& phase : job.phases) severity = std::max(severity, severity_of("nothing_gated", phase.findings));
  if (severity == Severity::ignore) return;
  const auto level = severity == Severity::error ? Diagnostic::Level::error : Diagnostic::Level::warning;
  diagnostics.push_back(diagnostic_at(job, level, "phases",
                                      "nothing gated: the job has no thresholds, so only errors can fail it",
                                      "add `thresholds:` to a phase"));
}

}  // namespace diskproof
