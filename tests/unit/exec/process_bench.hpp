// Phases in child processes: the test child, the environment that tells it how to behave, and what it reported.
#pragma once

#include <atomic>
#include <cstdlib>
#include <string>
#include <vector>

#include "exec/phase_runner.hpp"
#include "sim_plan.hpp"

namespace diskproof::testing {

inline ChildSettings child_settings() { return {.executable = DISKPROOF_TEST_CHILD_PATH, .state_dir = ""}; }

// Sets an environment variable for as long as it lives.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) { setenv(name, value.c_str(), 1); }
  ~Environment() { unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
};

// Keeps what a phase reported; sets `stop` at a tick once it has measured.
struct Recorder final : PhaseObserver {
  std::vector<PhaseTick> ticks;
  std::vector<Interval> intervals;
  std::atomic<bool> stop{false};
  bool stop_at_first_tick = false;

  void on_tick(const PhaseTick& tick) override {
    ticks.push_back(tick);
    if (stop_at_first_tick && tick.elapsed > 0) stop.store(true);
  }
  void on_interval(const Interval& interval) override { intervals.push_back(interval); }
};

}  // namespace diskproof::testing
