// The progress of phases that run at the same time, as that of their group: rates are sums.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cli/run_view.hpp"

namespace diskproof {

class GroupProgress {
 public:
  GroupProgress(RunView& view, const PhasePlan& group, std::size_t members);
  ~GroupProgress();
  GroupProgress(const GroupProgress&) = delete;
  GroupProgress& operator=(const GroupProgress&) = delete;

  // One per member.
  [[nodiscard]] std::span<PhaseObserver* const> observers() const noexcept { return observers_; }

 private:
  class Member;
  void take(std::size_t member, const PhaseTick& tick);

  RunView& view_;
  const PhasePlan& group_;
  std::vector<PhaseTick> ticks_;  // the last of each member
  std::vector<std::unique_ptr<Member>> members_;
  std::vector<PhaseObserver*> observers_;
  double shown_ = -1;  // seconds since go, of the last tick that was passed on
};

}  // namespace diskproof
