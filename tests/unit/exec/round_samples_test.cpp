// The closer look at two rounds in 64.
#include <doctest/doctest.h>

#include "worker_bench.hpp"

using namespace diskproof;
using namespace diskproof::testing;

namespace {

// Ends all it has `in_reap` at once; stamps them where asked to.
struct AtOnce : ScriptedQueue {
  std::vector<std::uint32_t> tags;
  bool stamped = false;
  std::uint32_t most = ~0u;

  AtOnce() {
    submit = [this](const std::vector<dp_io>& ios) {
      pass(10);
      for (const dp_io& io : ios) tags.push_back(io.tag);
      return static_cast<std::int32_t>(ios.size());
    };
    reap = [this](dp_done* done, std::uint32_t, std::uint32_t, std::uint64_t) {
      pass(20);
      const auto count = std::min<std::size_t>(tags.size(), most);
      for (std::size_t i = 0; i < count; ++i) done[i] = {stamped ? host.now() : 0, 4096, tags[i], 0};
      tags.erase(tags.begin(), tags.begin() + static_cast<std::ptrdiff_t>(count));
      return static_cast<std::int32_t>(count);
    };
  }
};

}  // namespace

TEST_CASE("round samples: one round in 64 is due") {
  RoundSamples samples;
  int due = 0;
  for (int round = 0; round < 640; ++round) due += samples.due() ? 1 : 0;
  CHECK(due == 10);
}

TEST_CASE("round samples: one round in 64 peeks, and never one that is due") {
  RoundSamples samples;
  int peeks = 0;
  for (int round = 0; round < 640; ++round) {
    const bool due = samples.due();
    peeks += samples.peeks() ? 1 : 0;
    CHECK_FALSE((due && samples.peeks()));
  }
  CHECK(peeks == 10);
}

TEST_CASE("round samples: own time lies before the submit call") {
  RoundSamples samples;
  CHECK_FALSE(samples.looking());
  samples.submits(100, 130);
  samples.reaped(200);
  CHECK(samples.totals().own == 30);
  CHECK(samples.totals().whole == 100);
  CHECK_FALSE(samples.looking());
}

TEST_CASE("round samples: a peek counts batches, and those seen whole") {
  struct Row {
    std::string name;
    std::uint32_t got, left;
    bool stamped;
    std::uint64_t batches, whole;
  };
  const Row rows[] = {{"all complete", 4, 0, false, 1, 1},
                      {"all complete, with stamps of their own", 4, 0, true, 1, 0},
                      {"some in flight", 3, 1, false, 1, 0},
                      {"nothing complete", 0, 4, false, 1, 0},
                      {"a single I/O is no batch", 1, 0, false, 0, 0}};
  for (const Row& row : rows) {
    CAPTURE(row.name);
    RoundSamples samples;
    samples.peeked(row.got, row.left, row.stamped);
    CHECK(samples.totals().batches == row.batches);
    CHECK(samples.totals().batches_seen_whole == row.whole);
  }
}

TEST_CASE("round samples: a round under way at the edge of the window is left out") {
  RoundSamples samples;
  samples.submits(100, 130);
  samples.window_begins();
  CHECK_FALSE(samples.looking());
  CHECK(samples.totals().whole == 0);
}

TEST_CASE("worker: batches that complete as a whole are told from those that do not") {
  struct Row {
    std::string name;
    std::uint32_t depth, most;
    bool stamped;
    std::uint64_t batches, whole;
  };
  // 640 rounds of the closed loop are 10 looks.
  const Row rows[] = {{"all at once", 4, ~0u, false, 10, 10},
                      {"all at once with stamps of their own", 4, ~0u, true, 10, 0},
                      {"one by one", 4, 1, false, 10, 0},
                      {"two by two", 4, 2, false, 10, 0},
                      {"depth 1", 1, ~0u, false, 0, 0}};
  for (const Row& row : rows) {
    CAPTURE(row.name);
    AtOnce queue;
    queue.stamped = row.stamped;
    queue.most = row.most;
    const std::uint64_t per_round = std::min(row.depth, row.most);
    const WorkerOutcome outcome = queue.run({.depth = row.depth, .batch = row.depth, .operations = 645 * per_round});
    REQUIRE(outcome.result.failure == "");
    CHECK(outcome.result.rounds.batches == row.batches);
    CHECK(outcome.result.rounds.batches_seen_whole == row.whole);
    CHECK(outcome.result.rounds.own == 0);  // the clock stands still while the runner works
    CHECK(outcome.result.rounds.whole == 10 * 30);
  }
}
