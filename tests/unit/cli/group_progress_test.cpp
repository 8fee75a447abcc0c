// What is shown while phases run at the same time.
#include "cli/group_progress.hpp"

#include <doctest/doctest.h>

namespace diskproof {
namespace {

class LastTick : public RunView {
 public:
  void run_started(const RunReport&) override {}
  void phase_started(const PhasePlan&) override {}
  void tick(const PhasePlan& phase, std::uint32_t, const PhaseTick& tick) override {
    name = phase.name;
    last = tick;
    ++count;
  }
  void phase_finished(const PhaseReport&) override {}
  void run_finished(const RunReport&, const std::vector<std::string>&) override {}
  std::string name;
  PhaseTick last;
  int count = 0;
};

PhaseTick tick_at(double elapsed, double total, double iops) {
  PhaseTick tick;
  tick.elapsed = elapsed;
  tick.total = total;
  tick.done = total > 0 ? elapsed / total : 0;
  tick.iops = iops;
  tick.bandwidth = iops * 4096;
  return tick;
}

TEST_CASE("group progress: rates are sums, and the longest phase says how far it is") {
  LastTick view;
  PhasePlan group;
  group.name = "both";
  GroupProgress progress(view, group, 2);
  const auto observers = progress.observers();
  REQUIRE(observers.size() == 2);
  observers[0]->on_tick(tick_at(0.5, 1, 100));
  observers[1]->on_tick(tick_at(0.5, 4, 1000));  // the same moment: passed on with the next
  observers[0]->on_tick(tick_at(0.75, 1, 200));
  CHECK(view.name == "both");
  CHECK(view.count == 2);
  CHECK(view.last.iops == 1200);
  CHECK(view.last.bandwidth == 1200 * 4096);
  CHECK(view.last.total == 4);
  CHECK(view.last.done == 0.1875);
}

TEST_CASE("group progress: a phase that has ended is no longer counted") {
  LastTick view;
  const PhasePlan group;
  GroupProgress progress(view, group, 2);
  progress.observers()[0]->on_tick(tick_at(1, 1, 100));
  progress.observers()[1]->on_tick(tick_at(3, 4, 1000));
  CHECK(view.last.iops == 1000);
}

}  // namespace
}  // namespace diskproof
