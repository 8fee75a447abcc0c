// The longest member says how far the group is; what has not been heard for a while has ended.
#include "cli/group_progress.hpp"

#include <algorithm>

namespace diskproof {
namespace {

constexpr double kEvery = 0.2;  // seconds between ticks of the group
constexpr double kSilent = 1;   // a member that is so far behind the others does not run any more

}  // namespace

class GroupProgress::Member : public PhaseObserver {
 public:
  Member(GroupProgress& group, std::size_t position) : group_(group), position_(position) {}
  void on_tick(const PhaseTick& tick) override { group_.take(position_, tick); }
  void on_interval(const Interval&) override {}

 private:
  GroupProgress& group_;
  const std::size_t position_;
};

GroupProgress::GroupProgress(RunView& view, const PhasePlan& group, std::size_t members)
    : view_(view), group_(group), ticks_(members) {
  for (std::size_t i = 0; i < members; ++i) {
    members_.push_back(std::make_unique<Member>(*this, i));
    observers_.push_back(members_.back().get());
  }
}

GroupProgress::~GroupProgress() = default;

void GroupProgress::take(std::size_t member, const PhaseTick& tick) {
  ticks_[member] = tick;
  if (tick.elapsed < shown_ + kEvery) return;
  shown_ = tick.elapsed;
  PhaseTick all;
  all.stage = tick.stage;
  all.elapsed = tick.elapsed;
  for (const PhaseTick& one : ticks_) {
    all.total = std::max(all.total, one.total);
    if (one.elapsed + kSilent < tick.elapsed) continue;
    all.iops += one.iops;
    all.bandwidth += one.bandwidth;
  }
  all.done = all.total > 0 ? std::min(all.elapsed / all.total, 1.0) : tick.done;
  view_.tick(group_, 1, all);
}

}  // namespace diskproof
