// The measured loop against engines that do what they must not, or what few engines do.
#include <cstring>
#include <deque>
#include <doctest/doctest.h>
#include <set>
#include <string>

#include "worker_bench.hpp"

using namespace diskproof;
using namespace diskproof::testing;

namespace {

// Completes what it took in order, 1 ms apart; a test changes what it does in `mend`.
struct HonestQueue : ScriptedQueue {
  std::deque<dp_io> taken;
  std::vector<dp_io> seen;
  std::uint32_t take_at_most = ~0u;
  std::function<void(dp_done&)> mend = [](dp_done&) {};

  HonestQueue() {
    submit = [this](const std::vector<dp_io>& ios) {
      std::int32_t count = 0;
      for (const dp_io& io : ios) {
        if (static_cast<std::uint32_t>(count) == take_at_most) break;
        taken.push_back(io);
        seen.push_back(io);
        ++count;
      }
      return count;
    };
    reap = [this](dp_done* done, std::uint32_t max, std::uint32_t min, std::uint64_t) {
      std::int32_t count = 0;
      while (!taken.empty() && static_cast<std::uint32_t>(count) < std::min(max, min)) {
        pass(kMs);
        done[count] = {0, taken.front().length, taken.front().tag, 0};
        mend(done[count]);
        taken.pop_front();
        ++count;
      }
      return count;
    };
  }
};

constexpr WorkerJob kJob{.depth = 4, .duration = kSecond};

}  // namespace

TEST_CASE("worker: an honest scripted engine is measured") {
  HonestQueue queue;
  const WorkerOutcome outcome = queue.run({.depth = 2, .operations = 10});
  CHECK(outcome.result.failure == "");
  CHECK(outcome.total().operations == 10);
  CHECK(queue.seen.size() == 10);
}

TEST_CASE("worker: a tag that is not in flight loses the queue") {
  for (const std::uint32_t tag : {4u, 5u, 0xffffffffu}) {
    CAPTURE(tag);
    HonestQueue queue;
    queue.mend = [&](dp_done& done) { done.tag = tag; };
    const WorkerOutcome outcome = queue.run(kJob);
    CHECK(outcome.result.failure ==
          "the engine broke its contract: it completed tag " + std::to_string(tag) + ", which is not in flight");
    CHECK_FALSE(outcome.result.drain.finished);
    CHECK(outcome.stopped);  // the other workers need not go on
  }
}

TEST_CASE("worker: a tag that completes twice loses the queue") {
  ScriptedQueue queue;
  queue.submit = [](const std::vector<dp_io>& ios) { return static_cast<std::int32_t>(ios.size()); };
  queue.reap = [&](dp_done* done, std::uint32_t, std::uint32_t, std::uint64_t) {
    queue.pass(kMs);
    done[0] = done[1] = {0, 4096, 1, 0};
    return 2;
  };
  const WorkerOutcome outcome = queue.run(kJob);
  CHECK(outcome.result.failure == "the engine broke its contract: it completed tag 1, which is not in flight");
  CHECK(outcome.total().operations == 1);
}

TEST_CASE("worker: a tag that was offered but not taken must not complete") {
  ScriptedQueue queue;
  queue.submit = [](const std::vector<dp_io>&) { return 1; };
  queue.reap = [&](dp_done* done, std::uint32_t, std::uint32_t, std::uint64_t) {
    queue.pass(kMs);
    for (std::uint32_t i = 0; i < 4; ++i) done[i] = {0, 4096, i, 0};
    return 4;
  };
  const WorkerOutcome outcome = queue.run(kJob);
  CHECK(outcome.result.failure.find("which is not in flight") != std::string::npos);
  CHECK(outcome.total().operations == 1);
}

TEST_CASE("worker: impossible numbers from submit and reap lose the queue") {
  struct Row {
    std::string name;
    std::int32_t submit, reap;
    std::string failure;
  };
  const Row rows[] = {
      {"submit takes more than offered", 5, 0, "the engine broke its contract in submit (it returned 5)"},
      {"submit takes a lot", 0x7fffffff, 0, "the engine broke its contract in submit (it returned 2147483647)"},
      {"submit fails", -DP_ENODEV, 0, "the engine gave up its queue in submit: enodev: the device or server is gone"},
      {"reap gives more than asked", 4, 5, "the engine broke its contract in reap (it returned 5)"},
      {"reap fails", 4, -DP_EIO, "the engine gave up its queue in reap: eio: the medium or the server failed the I/O"},
      {"an unknown code", 4, -9999, "the engine gave up its queue in reap: unknown"},
  };
  WorkerJob job = kJob;
  job.batch = job.depth;  // all in one call
  for (const Row& row : rows) {
    CAPTURE(row.name);
    ScriptedQueue queue;
    bool lost = false;
    queue.submit = [&](const std::vector<dp_io>&) {
      CHECK_FALSE(lost);  // a lost queue is not called again
      lost = row.submit < 0 || row.submit > 4;
      return row.submit;
    };
    queue.reap = [&](dp_done*, std::uint32_t, std::uint32_t, std::uint64_t) {
      CHECK_FALSE(lost);
      lost = true;
      queue.pass(kMs);
      return row.reap;
    };
    const WorkerOutcome outcome = queue.run(job);
    CHECK(outcome.result.failure.starts_with(row.failure));
    CHECK_FALSE(outcome.result.drain.finished);
    CHECK(outcome.total().operations == 0);
    CHECK(outcome.stopped);
  }
}

TEST_CASE("worker: an engine that takes nothing is given up") {
  ScriptedQueue queue;
  queue.submit = [&](const std::vector<dp_io>&) {
    queue.pass(kMs);
    return 0;
  };
  queue.reap = [](dp_done*, std::uint32_t, std::uint32_t, std::uint64_t) { return 0; };
  const WorkerOutcome outcome = queue.run({.depth = 4, .duration = 100 * kSecond, .give_up = 2 * kSecond});
  CHECK(outcome.result.failure ==
        "the engine broke its contract in submit: it takes nothing although nothing is in flight (it returned 0)");
  CHECK(outcome.end() > 2 * kSecond);
  CHECK(outcome.end() < 2 * kSecond + 10 * kMs);
}

TEST_CASE("worker: an engine that is full for a while is waited for") {
  HonestQueue queue;
  const auto honest = queue.submit;
  queue.submit = [&](const std::vector<dp_io>& ios) {
    queue.pass(kMs);
    return queue.host.now() < kGo + kSecond ? 0 : honest(ios);
  };
  const WorkerOutcome outcome = queue.run({.depth = 4, .operations = 10, .give_up = 2 * kSecond});
  CHECK(outcome.result.failure == "");
  CHECK(outcome.total().operations == 10);
}

TEST_CASE("worker: an engine that takes one I/O at a time gets every operation once, in order") {
  for (const std::uint32_t most : {1u, 2u, 3u, 5u}) {
    for (const bool counted : {true, false}) {
      CAPTURE(most);
      CAPTURE(counted);
      HonestQueue queue;
      queue.take_at_most = most;
      const WorkerOutcome outcome = queue.run(
          {.depth = 8, .warmup = counted ? 5 * kMs : 0, .duration = 200 * kMs, .operations = counted ? 100u : 0});
      CHECK(outcome.result.failure == "");
      if (counted) CHECK(outcome.total().operations == 100);
      for (std::size_t i = 0; i < queue.seen.size(); ++i) CHECK(queue.seen[i].offset == i * 4096);
      CHECK(outcome.result.in_flight_integral == outcome.result.in_window_time);
      CHECK(queue.taken.empty());
    }
  }
}

TEST_CASE("worker: a warm-up operation that is taken only in the window still does not count") {
  HonestQueue queue;
  const auto honest = queue.submit;
  // The warm-up's operations are offered at go and refused until the window has begun.
  queue.submit = [&](const std::vector<dp_io>& ios) {
    queue.pass(kMs);
    return queue.host.now() < kGo + 20 * kMs ? 0 : honest(ios);
  };
  const WorkerOutcome outcome = queue.run({.depth = 4, .warmup = 10 * kMs, .operations = 6});
  CHECK(outcome.total().operations == 6);
  CHECK(queue.seen.size() == 10);
}

TEST_CASE("worker: a short I/O is continued where it stopped") {
  HonestQueue queue;
  int parts = 0;
  queue.mend = [&](dp_done& done) {
    if (++parts == 1) done.result = 512;
    if (parts == 2) done.result = 1024;
  };
  const WorkerOutcome outcome = queue.run({.depth = 1, .operations = 2});
  CHECK(outcome.total().operations == 2);
  CHECK(outcome.total().bytes == 8192);
  CHECK(outcome.total().latency.max() == 3 * kMs);
  REQUIRE(queue.seen.size() == 4);
  auto* data = static_cast<std::byte*>(queue.seen[0].data);
  CHECK(queue.seen[1].offset == 512);
  CHECK(queue.seen[1].length == 3584);
  CHECK(queue.seen[1].data == data + 512);
  CHECK(queue.seen[1].tag == queue.seen[0].tag);
  CHECK(queue.seen[2].offset == 1536);
  CHECK(queue.seen[2].length == 2560);
  CHECK(queue.seen[2].data == data + 1536);
  CHECK(queue.seen[3].offset == 4096);
  CHECK(queue.seen[3].length == 4096);
}

TEST_CASE("worker: short I/O of an engine that is also short of space keeps the books") {
  HonestQueue queue;
  queue.take_at_most = 2;
  int parts = 0;
  queue.mend = [&](dp_done& done) {
    if (++parts % 3 == 0 && done.result > 512) done.result = 512;
  };
  const WorkerOutcome outcome = queue.run({.depth = 5, .operations = 200});
  CHECK(outcome.result.failure == "");
  CHECK(outcome.total().operations == 200);
  CHECK(outcome.total().bytes == 200 * 4096);
}

TEST_CASE("worker: results that cannot be are errors of the operation") {
  struct Row {
    std::string name;
    std::int64_t result;
    std::string text;
  };
  const Row rows[] = {{"nothing", 0, "nothing was moved: the target ends before this offset"},
                      {"too much", 4097, "the engine claims 4097 bytes of 4096"},
                      {"far too much", std::int64_t{1} << 40, "the engine claims 1099511627776 bytes of 4096"},
                      {"an error", -DP_EIO, "eio: the medium or the server failed the I/O"},
                      {"an unknown error", -(std::int64_t{1} << 33), "unknown"}};
  for (const Row& row : rows) {
    CAPTURE(row.name);
    HonestQueue queue;
    queue.mend = [&](dp_done& done) { done.result = row.result; };
    const WorkerOutcome outcome = queue.run({.depth = 1, .operations = 3, .max_errors = 10});
    CHECK(outcome.total().errors == 3);
    CHECK(outcome.total().operations == 0);
    REQUIRE(outcome.result.errors.size() == 3);
    CHECK(outcome.result.errors[1].text.starts_with(row.text));
    CHECK(outcome.result.errors[1].offset == 4096);
  }
}

TEST_CASE("worker: a stamp outside of an I/O's life loses the queue: it would be a latency made up") {
  for (const bool early : {true, false}) {
    CAPTURE(early);
    HonestQueue queue;
    queue.mend = [&](dp_done& done) { done.ticks = early ? 1 : queue.host.now() + kSecond; };
    const WorkerOutcome outcome = queue.run({.depth = 1, .operations = 5});
    CHECK(outcome.total().operations == 0);
    CHECK(outcome.result.failure.find("broke its contract: it stamped the end of tag 0") != std::string::npos);
  }
}

// An engine that waits in its calls, as a synchronous one does, cannot wake up at an edge of the window.
TEST_CASE("worker: a stall over an edge counts as far as it is inside, also where the engine overshoots") {
  struct Row {
    std::string name;
    WorkerJob job;
    std::uint64_t from, until;  // ms since go: nothing completes in between
    std::uint64_t expected;     // ms
  };
  const Row rows[] = {
      {"inside", {.depth = 1, .warmup = kSecond, .duration = 3 * kSecond}, 1500, 2000, 500},
      {"over the beginning", {.depth = 1, .warmup = kSecond, .duration = 3 * kSecond}, 500, 2200, 1200},
      {"over the end", {.depth = 1, .warmup = kSecond, .duration = 3 * kSecond}, 3300, 9000, 700},
      {"over all of it", {.depth = 1, .warmup = kSecond, .duration = 3 * kSecond}, 500, 9000, 3000},
      {"in the warm-up", {.depth = 1, .warmup = kSecond, .duration = 3 * kSecond}, 100, 900, 1},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    HonestQueue queue;
    queue.mend = [&](dp_done&) {
      const Ticks now = queue.host.now();
      if (now > kGo + row.from * kMs && now < kGo + row.until * kMs) queue.host.set(kGo + row.until * kMs);
    };
    const WorkerOutcome outcome = queue.run(row.job);
    const std::vector<WorkerStalls> stalls{
        {outcome.result.stalls.gaps(), outcome.result.window_begin, outcome.result.window_end}};
    CHECK(longest_common_gap(stalls) == row.expected * kMs);
    CHECK(outcome.result.in_flight_integral == outcome.result.in_window_time);
    CHECK(outcome.result.in_flight_integral == 3 * kSecond);
  }
}

TEST_CASE("worker: trims and syncs carry no data, writes are unlike each other") {
  HonestQueue queue;
  std::set<std::array<std::uint64_t, 2>> stamps;
  const auto honest = queue.submit;
  std::size_t writes = 0;
  queue.submit = [&](const std::vector<dp_io>& ios) {
    for (const dp_io& io : ios) {
      if (io.op == DP_OP_TRIM || io.op == DP_OP_FSYNC) CHECK(io.data == nullptr);
      if (io.op == DP_OP_FSYNC) CHECK(io.length == 0);
      if (io.op != DP_OP_WRITE) continue;
      ++writes;
      for (std::uint32_t at = 0; at < io.length; at += 512) {
        std::array<std::uint64_t, 2> stamp{};
        std::memcpy(stamp.data(), static_cast<const std::byte*>(io.data) + at, sizeof stamp);
        CHECK(stamp[0] == io.offset + at);
        stamps.insert(stamp);
      }
    }
    return honest(ios);
  };
  const WorkerOutcome outcome =
      queue.run({.depth = 4, .operations = 100, .final_flush = true, .mix = {.read = 20, .write = 60, .trim = 20}});
  CHECK(outcome.total(Direction::sync).operations == 1);
  CHECK(outcome.total(Direction::trim).operations > 5);
  CHECK(stamps.size() == writes * 8);
}

TEST_CASE("worker: a refusal long ago is forgotten once the engine took everything") {
  HonestQueue queue;
  int calls = 0;
  const auto honest = queue.submit;
  queue.submit = [&](const std::vector<dp_io>& ios) {
    ++calls;
    if (calls == 1 || calls == 100) return 0;  // with nothing in flight
    return honest(ios);
  };
  const WorkerOutcome outcome = queue.run({.depth = 1, .operations = 200, .give_up = 50 * kMs});
  CHECK(outcome.result.failure == "");
  CHECK(outcome.total().operations == 200);
}

TEST_CASE("worker: a stall is what the disk did, not when the runner looked") {
  for (const bool stamped : {true, false}) {
    CAPTURE(stamped);
    ScriptedQueue queue;
    std::vector<std::uint32_t> tags;
    queue.submit = [&](const std::vector<dp_io>& ios) {
      for (const dp_io& io : ios) tags.push_back(io.tag);
      return static_cast<std::int32_t>(ios.size());
    };
    queue.reap = [&](dp_done* done, std::uint32_t, std::uint32_t, std::uint64_t) {  // ends 1 ms apart, seen 16 ms later
      for (std::size_t i = 0; i < tags.size(); ++i) {
        queue.pass(kMs);
        done[i] = {stamped ? queue.host.now() : 0, 4096, tags[i], 0};
      }
      queue.pass(16 * kMs);
      const auto count = static_cast<std::int32_t>(tags.size());
      tags.clear();
      return count;
    };
    const WorkerOutcome outcome = queue.run({.depth = 4, .batch = 4, .operations = 40});
    REQUIRE(outcome.result.failure == "");
    const auto gaps = outcome.result.stalls.gaps();
    const auto longest =
        std::max_element(gaps.begin(), gaps.end(), [](const Gap& a, const Gap& b) { return a.length() < b.length(); });
    REQUIRE(longest != gaps.end());
    CHECK(longest->length() == (stamped ? kMs : 20 * kMs));
  }
}

TEST_CASE("worker: the monitor sees the oldest I/O in flight and nothing after the end") {
  HonestQueue queue;
  InFlightTable table(3);
  CHECK_FALSE(table.oldest().has_value());
  const auto start = [&](std::uint32_t tag, Ticks submitted, std::uint64_t offset) {
    table.tags()[tag].submitted = submitted;
    table.tags()[tag].offset = offset;
  };
  start(0, 30, 8192);
  start(1, 10, 4096);
  start(2, 20, 0);
  REQUIRE(table.oldest().has_value());
  CHECK(table.oldest()->tag == 1);
  CHECK(table.oldest()->offset == 4096);
  table.tags()[1].submitted = 0;
  CHECK(table.oldest()->submitted == 20);
  table.tags()[0].submitted = 0;
  table.tags()[2].submitted = 0;
  CHECK_FALSE(table.oldest().has_value());
}
