// Phases at the same time, in real children: one go for all, and what happens when one of them is lost.
#include <doctest/doctest.h>
#include <string>

#include "process_bench.hpp"

using namespace diskproof;
using namespace diskproof::testing;

namespace {

constexpr std::uint64_t kSecond = 1000 * kMillisecond;

// Phases "p0", "p1" on disks in memory, each for a second at 1000 operations per second.
Plan two_phases() {
  Plan plan = sim_plan({{"service_time", "100000"}});
  plan.phases.push_back(plan.phases[0]);
  for (std::size_t i = 0; i < 2; ++i) {
    plan.phases[i].name = "p" + std::to_string(i);
    plan.phases[i].stop = {StopRule::Kind::duration, kSecond};
    plan.phases[i].rate = 1000;
    plan.phases[i].queue_depth = 64;
  }
  return plan;
}

std::vector<PhaseResult> run_both(const Plan& plan, Recorder& first, Recorder& second) {
  std::vector<PhaseStart> starts;
  for (std::size_t i = 0; i < 2; ++i)
    starts.push_back({i, plan.phases[i].seed, plan.phases[i].timeout, i == 0 ? &first : &second});
  return run_phases(plan, starts, child_settings(), first.stop);
}

std::vector<PhaseResult> run_both(const Plan& plan) {
  Recorder first, second;
  return run_both(plan, first, second);
}

}  // namespace

TEST_CASE("phases together: each keeps its own window and its own numbers") {
  Plan plan = two_phases();
  plan.phases[1].stop.value = 2 * kSecond;
  const auto results = run_both(plan);
  REQUIRE(results.size() == 2);
  for (const PhaseResult& result : results) {
    CHECK(result.completed);
    CHECK(result.reason == "");
  }
  CHECK(results[0].data->window_end - results[0].data->window_begin == kSecond);
  CHECK(results[1].data->window_end - results[1].data->window_begin == 2 * kSecond);
  CHECK(results[0].data->intervals.size() == 10);
  CHECK(results[1].data->intervals.size() == 20);
  CHECK(results[0].seconds < results[1].seconds);
}

TEST_CASE("phases together: when one is lost on the way the other goes on to its end") {
  Plan plan = two_phases();
  plan.phases[0].engine.options["error_at"] = "100";
  const auto results = run_both(plan);
  CHECK_FALSE(results[0].completed);
  CHECK(results[0].reason.find("I/O errors, 0 allowed") != std::string::npos);
  CHECK(results[0].data->window_end < kSecond);
  CHECK(results[1].completed);
}

TEST_CASE("phases together: when one cannot start the other does not either") {
  Plan plan = two_phases();
  plan.phases[0].engine.path = "/no/such/engine.so";
  const auto results = run_both(plan);
  CHECK_FALSE(results[0].completed);
  CHECK(results[1].reason == "not started, because p0, which was to run at the same time, could not start");
  CHECK_FALSE(results[1].data);
}

TEST_CASE("phases together: stop ends all of them") {
  Plan plan = two_phases();
  for (PhasePlan& phase : plan.phases) phase.stop.value = 60 * kSecond;
  Recorder first, second;
  first.stop_at_first_tick = true;
  for (const PhaseResult& result : run_both(plan, first, second)) {
    CHECK(result.interrupted);
    CHECK_FALSE(result.completed);
    CHECK(result.reason == "interrupted");
  }
}

TEST_CASE("phases together: the timeout of one ends that one") {
  Plan plan = two_phases();
  plan.phases[0].stop.value = 60 * kSecond;
  plan.phases[0].timeout = 300 * kMillisecond;
  const auto results = run_both(plan);
  CHECK(results[0].reason.starts_with("not done within its timeout"));
  CHECK(results[1].completed);
}
