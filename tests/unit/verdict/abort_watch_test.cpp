// Conditions that end a phase: exact intervals, exact moments.
#include "verdict/abort_watch.hpp"

#include <doctest/doctest.h>

namespace diskproof {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

Interval second_of(std::uint64_t reads, std::uint64_t p99) {
  Interval row;
  row.duration = kSecond;
  IntervalDirection& direction = row.directions[0];
  direction.operations = reads;
  direction.latency_max = direction.latency_sum = p99;
  if (reads > 0) direction.p50 = direction.p99 = direction.p999 = p99;
  return row;
}

// Seconds until it fires; 0: never.
std::size_t fires_after(AbortWatch& watch, const std::vector<Interval>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    watch.add(rows[i]);
    if (!watch.verdict().empty()) return i + 1;
  }
  return 0;
}

TEST_CASE("abort watch: it fires when the condition has held for all of the time, in a row") {
  const Interval slow = second_of(100, 600'000'000), fast = second_of(100, 1'000'000);
  AbortWatch watch({"read.latency.p99 > 500ms for 3s"}, {}, {});
  CHECK(fires_after(watch, {slow, slow, fast, slow, slow, slow, slow}) == 6);
  CHECK(watch.verdict() ==
        "'read.latency.p99 > 500ms for 3s' held for 3 s: read.latency.p99 was 600 ms in the interval that ended 6 s "
        "after the start of the window, bound 500 ms");
  const auto results = watch.results("");
  REQUIRE(results.size() == 1);
  CHECK(results[0].check == "abort: read.latency.p99 > 500ms for 3s");
  CHECK(results[0].outcome == Outcome::fail);
  CHECK(results[0].observed == 6e8);
  CHECK(results[0].bound == 5e8);
}

TEST_CASE("abort watch: a condition that never held for long enough is a pass that says how long it did") {
  const Interval slow = second_of(100, 600'000'000), fast = second_of(100, 1'000'000);
  AbortWatch watch({"read.latency.p99 > 500ms for 3s", "read.iops < 5 for 1s"}, {}, {});
  CHECK(fires_after(watch, {slow, slow, fast, slow}) == 0);
  const auto results = watch.results("");
  REQUIRE(results.size() == 2);
  CHECK(results[0].outcome == Outcome::pass);
  CHECK(results[0].reason == "held for 2 s in a row at most");
  CHECK(results[1].reason == "held in no interval");
}

TEST_CASE("abort watch: where nothing completed there is no latency, but no operation either") {
  const Interval stalled = second_of(0, 0);
  AbortWatch latency({"read.latency.p99 > 500ms for 1s"}, {}, {});
  CHECK(fires_after(latency, {stalled, stalled}) == 0);
  AbortWatch iops({"read.iops < 1 for 2s"}, {}, {});
  CHECK(fires_after(iops, {stalled, stalled}) == 2);
}

TEST_CASE("abort watch: a last interval that is shorter does not count") {
  Interval rest = second_of(0, 0);
  rest.full = false;
  AbortWatch watch({"read.iops < 1 for 1s"}, {}, {});
  CHECK(fires_after(watch, {rest}) == 0);
}

TEST_CASE("abort watch: shares of a limit and of an earlier phase are bounds too") {
  const std::vector<LimitGroup> limits{{"", {{"read.iops", 1000}}}};
  Evidence evidence;
  evidence.limits = limits;
  evidence.other = [](const std::string& phase, const MetricInfo&) {
    return phase == "warm" ? OtherValue{.value = 500}
                           : OtherValue{.value = {}, .reason = "was skipped", .skipped = true};
  };
  const LoadShape reads = planned_shape({.read = 100, .write = 0, .trim = 0}, 4096);
  AbortWatch of_limit({"read.iops < 50% of limit for 1s"}, evidence, reads);
  CHECK(fires_after(of_limit, {second_of(500, 1), second_of(499, 1)}) == 2);
  AbortWatch of_phase({"read.iops < 50% of phase warm for 1s"}, evidence, reads);
  CHECK(fires_after(of_phase, {second_of(250, 1), second_of(249, 1)}) == 2);
  AbortWatch of_none({"read.iops < 50% of phase cold for 1s"}, evidence, reads);
  CHECK(fires_after(of_none, {second_of(0, 1)}) == 0);
  CHECK(of_none.results("")[0].outcome == Outcome::skipped);
  CHECK(of_none.results("")[0].reason == "could not be watched: phase cold was skipped");
}

TEST_CASE("abort watch: a phase that has no value to compare with cannot be watched") {
  Evidence evidence;
  evidence.other = [](const std::string&, const MetricInfo&) {
    return OtherValue{.value = {}, .reason = "was not measured: the engine crashed"};
  };
  const AbortWatch watch({"read.iops < 50% of phase cold for 1s"}, evidence, {});
  CHECK(watch.results("")[0].outcome == Outcome::error);
  CHECK(watch.results("")[0].reason == "could not be watched: phase cold was not measured: the engine crashed");
}

TEST_CASE("abort watch: of a phase that was not measured nothing is decided") {
  const AbortWatch watch({"read.iops < 1 for 1s"}, {}, {});
  CHECK(watch.results("the engine crashed")[0].outcome == Outcome::error);
  CHECK(watch.results("the engine crashed")[0].reason == "the engine crashed");
}

}  // namespace
}  // namespace diskproof
