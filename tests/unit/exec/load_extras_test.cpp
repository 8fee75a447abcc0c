// Flushes, thought and a stop by bytes, on the simulated disk and a manual clock.
#include "exec/load_extras.hpp"

#include <doctest/doctest.h>
#include <map>
#include <string>
#include <vector>

#include "worker_bench.hpp"

namespace diskproof::testing {
namespace {

using Options = std::map<std::string, std::string>;
const Options kOneMs{{"service_time", "1000000"}};
constexpr OperationMix kWrites{.read = 0, .write = 100, .trim = 0};
const std::vector<BlockShare> kTwoSizes{{4096, 50}, {32768, 50}};

// An engine that completes everything at once and remembers what it was given: "w", "r", "t", "F" (fsync), "D".
class Recorder {
 public:
  Recorder() {
    queue.submit = [this](const std::vector<dp_io>& ios) {
      for (const dp_io& io : ios) {
        trace += "rwtFD"[io.op];
        lengths.push_back(io.length);
        waiting_.push_back({0, io.length, io.tag, 0});
      }
      return static_cast<std::int32_t>(ios.size());
    };
    queue.reap = [this](dp_done* done, std::uint32_t max, std::uint32_t, std::uint64_t) {
      queue.pass(kMs);
      const std::size_t count = std::min<std::size_t>(max, waiting_.size());
      std::copy(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count), done);
      waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
      return static_cast<std::int32_t>(count);
    };
  }
  ScriptedQueue queue;
  std::string trace;
  std::vector<std::uint32_t> lengths;

 private:
  std::vector<dp_done> waiting_;
};

}  // namespace

TEST_CASE("flushes: at depth 1 one follows every N-th write") {
  Recorder recorder;
  const WorkerOutcome outcome = recorder.queue.run({.depth = 1, .operations = 7, .mix = kWrites, .flush_every = 3});
  CHECK(recorder.trace == "wwwFwwwFw");
  CHECK(outcome.total(Direction::write).operations == 7);
  CHECK(outcome.total(Direction::sync).operations == 2);
  CHECK(outcome.total(Direction::sync).bytes == 0);
}

TEST_CASE("flushes: the last one comes although the count is used up, and none comes twice") {
  Recorder recorder;
  const WorkerOutcome outcome = recorder.queue.run({.depth = 1, .operations = 6, .mix = kWrites, .flush_every = 3});
  CHECK(recorder.trace == "wwwFwwwF");
  CHECK(outcome.total(Direction::sync).operations == 2);
}

TEST_CASE("flushes: deeper queues flush when so many writes were acknowledged, others stay in flight") {
  Recorder recorder;
  recorder.queue.run({.depth = 4, .batch = 4, .operations = 12, .mix = kWrites, .flush_every = 4});
  CHECK(recorder.trace == "wwwwFwwwwwwwFwF");
}

TEST_CASE("flushes: reads and trims do not count, nor do writes that failed") {
  Recorder recorder;
  recorder.queue.run({.depth = 1, .operations = 5, .mix = {.read = 100, .write = 0, .trim = 0}, .flush_every = 1});
  CHECK(recorder.trace == "rrrrr");
  const WorkerOutcome outcome =
      run_on_sim({.depth = 1, .operations = 8, .max_errors = 100, .mix = kWrites, .flush_every = 2},
                 {{"service_time", "1000000"}, {"error_every", "2"}, {"error_on", "write"}});
  CHECK(outcome.total(Direction::write).operations == 4);
  CHECK(outcome.total(Direction::write).errors == 4);
  CHECK(outcome.total(Direction::sync).operations == 2);
}

TEST_CASE("flushes: they have latencies of their own, take a place in the queue and are not in the total") {
  const WorkerOutcome outcome =
      run_on_sim({.depth = 1, .duration = 2 * kSecond, .mix = kWrites, .flush_every = 1}, kOneMs);
  CHECK(outcome.operations(Direction::write) == std::vector<std::uint64_t>{500, 500});
  CHECK(outcome.total(Direction::sync).operations == 999);  // the last is done on the window's very end
  CHECK(outcome.total(Direction::sync).latency.max() == kMs);
  CHECK(outcome.result.in_flight_integral == 2 * kSecond);
  CHECK(outcome.result.in_window_time == 2 * kSecond);
}

TEST_CASE("flushes: the one at the end of a timed load is inside the window, behind everything in flight") {
  const WorkerOutcome outcome =
      run_on_sim({.depth = 4, .duration = kSecond + 500'000, .final_flush = true, .mix = kWrites}, kOneMs);
  CHECK(outcome.total(Direction::write).operations == 4004);  // those in flight at the end too
  CHECK(outcome.total(Direction::sync).operations == 1);
  CHECK(outcome.end() == kSecond + 2 * kMs);
  CHECK(outcome.result.drain.operations == 0);
  CHECK(outcome.durations() == std::vector<std::uint64_t>{kSecond, 2 * kMs});
  CHECK(outcome.result.in_flight_integral == outcome.result.in_window_time);
}

TEST_CASE("flushes: of the warm-up nothing is measured") {
  const WorkerOutcome outcome =
      run_on_sim({.depth = 1, .warmup = kSecond, .operations = 10, .mix = kWrites, .flush_every = 5}, kOneMs);
  CHECK(outcome.total(Direction::write).operations == 10);
  CHECK(outcome.total(Direction::sync).operations == 2);
}

TEST_CASE("flushes: as many go out as are due, however many writes come back together") {
  struct Row {
    std::uint32_t depth, every;
    std::uint64_t writes;
  };
  for (const Row& row : {Row{8, 1, 800}, Row{32, 4, 3200}, Row{5, 2, 1000}}) {
    CAPTURE(row.depth);
    Recorder recorder;
    const WorkerOutcome outcome = recorder.queue.run(
        {.depth = row.depth, .batch = row.depth, .operations = row.writes, .mix = kWrites, .flush_every = row.every});
    CHECK(outcome.total(Direction::write).operations == row.writes);
    CHECK(outcome.total(Direction::sync).operations == row.writes / row.every);
    // Never more writes ahead than a full queue of them.
    std::uint64_t writes = 0, flushes = 0, most_behind = 0;
    for (const char what : recorder.trace) {
      (what == 'w' ? writes : flushes) += 1;
      most_behind = std::max(most_behind, writes - std::min(writes, flushes * row.every));
    }
    CHECK(most_behind <= 2 * row.depth + row.every);
  }
}

TEST_CASE("flushes: what the warm-up owes is not measured, at any depth") {
  for (const std::uint32_t depth : {3u, 8u}) {
    CAPTURE(depth);
    const WorkerOutcome outcome = run_on_sim(
        {.depth = depth, .warmup = 100 * kMs + 500'000, .operations = 1000, .mix = kWrites, .flush_every = 1}, kOneMs);
    CHECK(outcome.total(Direction::write).operations == 1000);
    CHECK(outcome.total(Direction::sync).operations == 1000);
  }
}

TEST_CASE("flushes: with a rate they go out at once and hold nothing up that is due") {
  WorkerJob job{.depth = 4, .operations = 100, .mix = kWrites, .flush_every = 10};
  job.rate = 100;
  const WorkerOutcome outcome = run_on_sim(job, kOneMs);
  CHECK(outcome.total(Direction::sync).operations == 10);
  CHECK(outcome.total(Direction::sync).latency.max() == kMs);
  CHECK(outcome.total(Direction::write).latency.max() == kMs);
  CHECK(outcome.end() == 99 * 10 * kMs + 2 * kMs);
}

TEST_CASE("thought: a place in the queue stays empty so long after each completion") {
  struct Row {
    std::uint32_t depth;
    std::uint64_t operations;  // in a second: each place takes 1 ms and thinks for 3
  };
  for (const Row& row : {Row{1, 250}, Row{4, 1000}, Row{16, 4000}}) {
    CAPTURE(row.depth);
    const WorkerOutcome outcome =
        run_on_sim({.depth = row.depth, .duration = 2 * kSecond, .think_time = 3 * kMs}, kOneMs);
    CHECK(outcome.operations() == std::vector<std::uint64_t>{row.operations, row.operations});
    CHECK(outcome.total().latency.min() == kMs);  // thinking is in no latency
    CHECK(outcome.total().latency.max() == kMs);
    CHECK(outcome.result.in_flight_integral == row.depth * kSecond / 2);
    CHECK(outcome.result.in_window_time == row.depth * kSecond / 2);
    for (const Gap& gap : outcome.result.stalls.gaps()) CHECK(gap.length() <= kMs);
  }
}

TEST_CASE("thought: a counted phase ends with its last operation, not with the thought after it") {
  const WorkerOutcome outcome = run_on_sim({.depth = 1, .operations = 10, .think_time = 9 * kMs}, kOneMs);
  CHECK(outcome.total().operations == 10);
  CHECK(outcome.end() == 91 * kMs);
}

TEST_CASE("thought: a flush is thought after too") {
  const WorkerOutcome outcome =
      run_on_sim({.depth = 1, .operations = 2, .mix = kWrites, .flush_every = 1, .think_time = 9 * kMs}, kOneMs);
  CHECK(outcome.total(Direction::sync).operations == 2);
  CHECK(outcome.end() == 31 * kMs);
}

TEST_CASE("bytes: a worker ends with the operation that reaches its bytes") {
  for (const std::uint64_t bytes : {1u, 4096u, 4097u, 100'000u, 1'000'000u}) {
    for (const std::uint32_t depth : {1u, 3u, 64u}) {
      for (const std::uint64_t warmup : {std::uint64_t{0}, 7 * kMs}) {
        CAPTURE(bytes);
        CAPTURE(depth);
        CAPTURE(warmup);
        const WorkerOutcome outcome = run_on_sim(
            {.depth = depth, .warmup = warmup, .bytes = bytes, .block_sizes = kTwoSizes, .access = Access::random},
            kOneMs);
        CHECK(outcome.total().bytes >= bytes);
        CHECK(outcome.total().bytes < bytes + 32768);
        CHECK(outcome.result.drain.operations == 0);
      }
    }
  }
}

TEST_CASE("bytes: nothing is started once the bytes are reached") {
  Recorder recorder;
  recorder.queue.run({.depth = 8, .bytes = 200'000, .block_sizes = kTwoSizes, .access = Access::random});
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i + 1 < recorder.lengths.size(); ++i) sum += recorder.lengths[i];
  CHECK(sum < 200'000);
  CHECK(sum + recorder.lengths.back() >= 200'000);
}

}  // namespace diskproof::testing
