// Watches a phase while it runs, and ends it where the job says so (`abort`, `max_written`) or where a smoke run has
// seen enough.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "exec/phase_runner.hpp"
#include "report/run_report.hpp"
#include "verdict/abort_watch.hpp"

namespace diskproof {

class PhaseWatcher : public PhaseObserver {
 public:
  // `written`: bytes that the job has written so far, which this adds to. What is given outlives this.
  PhaseWatcher(const RunReport& report, const PhasePlan& phase, std::uint64_t& written);

  // Around each run of the phase; what it shows goes to `shown`.
  void begin_run(PhaseObserver& shown);
  void end_run(const PhaseResult& result);
  // After end_run, of all phases that ran at the same time: a run with which the job exceeded `max_written` does not
  // count, and says how much was written in the end.
  void judge_written(PhaseResult& result) const;

  void on_tick(const PhaseTick& tick) override;
  void on_interval(const Interval& row) override { aborts_.add(row); }
  std::optional<EndRequest> end_request() override;

  [[nodiscard]] const AbortWatch& aborts() const noexcept { return aborts_; }

 private:
  [[nodiscard]] bool wrote_too_much() const;

  const Plan& plan_;
  const PhasePlan& phase_;
  std::uint64_t& written_;
  AbortWatch aborts_;
  PhaseObserver* shown_ = nullptr;
  PhaseTick last_;
  std::string ended_;  // why the run was asked to end for what the job had written; empty: it was not
};

// Bytes that a run wrote, its warm-up included; of what was in flight at its end nothing is known but of writes of
// one size.
std::uint64_t bytes_written(const PhasePlan& phase, const RunData& data);

}  // namespace diskproof
