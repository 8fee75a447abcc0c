// Gaps without completions: which are kept, and what several workers have in common.
#include "exec/stall_log.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <vector>

using namespace diskproof;

TEST_CASE("stall log: keeps the longest gaps") {
  StallLog log;
  for (Ticks length = 1; length <= 200; ++length) log.add({1000 * length, 1000 * length + (length * 37) % 201});
  std::vector<Ticks> kept;
  for (const Gap& gap : log.gaps()) kept.push_back(gap.length());
  std::sort(kept.begin(), kept.end());
  REQUIRE(kept.size() == StallLog::kCapacity);
  for (std::size_t i = 0; i < kept.size(); ++i) CHECK(kept[i] == 200 - (StallLog::kCapacity - 1) + i);  // 137…200
}

TEST_CASE("stall log: an empty gap is none") {
  StallLog log;
  log.add({5, 5});
  CHECK(log.gaps().empty());
}

TEST_CASE("stall log: the longest gap that all workers share") {
  struct Row {
    std::string name;
    std::vector<std::vector<Gap>> workers;  // all run over [0, 1000)
    Ticks expected;
  };
  const Row rows[] = {
      {"nobody", {}, 0},
      {"one worker", {{{10, 20}, {50, 90}}}, 40},
      {"no gaps", {{}, {}}, 0},
      {"one never stalls", {{{0, 900}}, {}}, 0},
      {"overlap", {{{0, 100}}, {{60, 200}}}, 40},
      {"touching is no overlap", {{{0, 100}}, {{100, 200}}}, 0},
      {"the longest of several", {{{0, 100}, {200, 300}}, {{90, 130}, {210, 290}}}, 80},
      {"inside another", {{{0, 1000}}, {{300, 310}, {500, 525}}}, 25},
      {"three workers", {{{0, 500}}, {{100, 600}}, {{450, 900}}}, 50},
      {"two agree but the third does not", {{{0, 500}}, {{0, 500}}, {{500, 501}}}, 0},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    std::vector<WorkerStalls> stalls;
    for (const auto& gaps : row.workers) stalls.push_back({gaps, 0, 1000});
    CHECK(longest_common_gap(stalls) == row.expected);
    std::reverse(stalls.begin(), stalls.end());
    CHECK(longest_common_gap(stalls) == row.expected);
  }
}

TEST_CASE("stall log: a worker that has ended or not begun does not hide a stall of the others") {
  const std::vector<Gap> stall{{600, 900}};
  CHECK(longest_common_gap(std::vector<WorkerStalls>{{stall, 0, 1000}, {{}, 0, 500}}) == 300);
  CHECK(longest_common_gap(std::vector<WorkerStalls>{{stall, 0, 1000}, {{}, 0, 700}}) == 200);
  CHECK(longest_common_gap(std::vector<WorkerStalls>{{stall, 0, 1000}, {{}, 800, 1000}}) == 200);
}
