// Children that fail in every way: one PhaseResult with a reason that names it, in bounded time, nothing left running.
#include <cerrno>
#include <csignal>
#include <doctest/doctest.h>
#include <fstream>
#include <string>

#include "process_bench.hpp"
#include "support/clock.hpp"
#include "support/temp_folder.hpp"

using namespace diskproof;
using namespace diskproof::testing;
using namespace std::string_literals;

namespace {

// Far above what a loaded machine needs, far below the 60 s of a test.
constexpr double kBounded = 40;

struct Row {
  std::string child;
  std::string reason;  // a part of it
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

bool is_running(int pid) { return ::kill(pid, 0) == 0 || errno != ESRCH; }

// No process of those that wrote their number to `file` is there any more.
void check_all_gone(const std::string& file) {
  std::ifstream pids(file);
  int count = 0;
  for (int pid = 0; pids >> pid; ++count) {
    const std::uint64_t patience = monotonic_ns() + 5'000 * kMillisecond;
    while (is_running(pid) && monotonic_ns() < patience) {  // a killed helper is reaped by init
    }
    CHECK_FALSE(is_running(pid));
  }
  CHECK(count > 0);
}

PhaseResult run(const std::string& child, const Plan& plan, const ChildLimits& limits, Recorder& recorder) {
  const TempFolder folder;
  const Environment how("DISKPROOF_TEST_CHILD", child), pids("DISKPROOF_TEST_PIDS", folder.path("pids"));
  ChildSettings settings = child_settings();
  settings.limits = limits;
  PhaseResult result = run_phase(plan, 0, settings, recorder.stop, recorder);
  CHECK(result.seconds < kBounded);
  check_all_gone(folder.path("pids"));
  return result;
}

PhaseResult run(const std::string& child, const ChildLimits& limits) {
  Recorder recorder;
  return run(child, sim_plan(), limits, recorder);
}

constexpr ChildLimits kShort{.silence = kShortLimit, .end = kShortLimit, .probe = kShortLimit};

}  // namespace

TEST_CASE("phase runner: a child that dies or talks nonsense is an error that names it") {
  const Row rows[] = {
      {"exits at once", "the phase's process ended with exit code 0 before it reported a result"},
      {"exits with 7 after hello", "the phase's process ended with exit code 7 before it reported a result"},
      {"killed", "the phase's process was ended by signal 9 (Killed) before it reported a result"},
      {"aborts", "the phase's process was ended by signal 6 (Aborted) before it reported a result"},
      {"segfaults", "the phase's process was ended by signal 11 (Segmentation fault) before it reported a result"},
      {"half a result, then killed", "was ended by signal 9 (Killed) before it reported a result"},
      {"wrong build", "the program was replaced while it ran"},
      {"hello without a build", "spoke nonsense: malformed hello frame"},
      {"garbage", "spoke nonsense: a frame of type"},
      {"text instead of frames", "spoke nonsense: a frame of type"},
      {"huge length", "spoke nonsense: a frame of type 23 announces 2147483647 bytes"},
      {"unknown frame", "spoke nonsense: frame type 77"},
      {"result before ready", "spoke nonsense: a result before the start"},
      {"ready twice", "spoke nonsense: ready for the second time"},
      {"a row that is missing", "spoke nonsense: a row out of order"},
      {"malformed tick", "spoke nonsense: malformed tick frame"},
      {"truncated result", "spoke nonsense: "},
      {"result of another shape", "spoke nonsense: measured data is malformed: run.window_begin"},
      {"result with wrong sums", "spoke nonsense: the intervals sum to 0 read operations, the run counted 1"},
      {"an error before ready", "the engine does not like mondays"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.child);
    const PhaseResult result = run(row.child, {.end = kShortLimit});
    CAPTURE(result.reason);
    CHECK_FALSE(result.completed);
    CHECK_FALSE(result.interrupted);
    CHECK_FALSE(result.tainted);
    CHECK(contains(result.reason, row.reason));
    CHECK(result.data == nullptr);
  }
}

TEST_CASE("phase runner: of a child that is lost the rows that had arrived are kept") {
  const PhaseResult result = run("two rows, then killed", {.end = kShortLimit});
  CHECK_FALSE(result.completed);
  CHECK(contains(result.reason, "ended by signal 9 (Killed) before it reported a result"));
  CHECK(contains(result.reason, "what is reported of it is what had arrived: 2 intervals"));
  REQUIRE(result.data != nullptr);
  CHECK(result.data->partial);
  CHECK(result.data->intervals.size() == 2);
  CHECK(result.data->directions[0].operations == 20);
  CHECK(result.data->window_end - result.data->window_begin == 2'000'000);
}

TEST_CASE("phase runner: a child that is silent is killed") {
  for (const char* child : {"silent from the start", "silent after ready", "a helper and silence", "prints forever"}) {
    const std::string name = child;
    CAPTURE(name);
    const PhaseResult result = run(name, kShort);
    CAPTURE(result.reason);
    CHECK_FALSE(result.completed);
    CHECK_FALSE(result.tainted);
    CHECK(contains(result.reason,
                   "nothing was heard of the phase's process for "s + kShortLimitText + ", it was killed"));
    if (name == "silent from the start")
      CHECK(contains(result.reason, "the engine hung while it was loaded or opened"));
  }
}

TEST_CASE("phase runner: a child that closes its pipe and stays is killed") {
  const PhaseResult result = run("closes its pipe", kShort);
  CHECK(result.reason == "the phase's process closed its pipe without a result and had to be killed");
}

TEST_CASE("phase runner: a child that does not read its plan is killed, however long the plan is") {
  Plan plan = sim_plan();
  plan.description = std::string(1 << 20, 'x');  // more than a pipe holds
  Recorder recorder;
  const PhaseResult result = run("silent from the start", plan, kShort, recorder);
  CHECK(contains(result.reason, "nothing was heard"));
}

TEST_CASE("phase runner: opening takes at most io_timeout") {
  Plan plan = sim_plan();
  plan.phases[0].io_timeout = kShortLimit;
  Recorder recorder;
  const PhaseResult result = run("never ready", plan, {}, recorder);
  CHECK(result.reason ==
        "opening its targets and the engine took longer than io_timeout ("s + kShortLimitText + "), it was killed");
}

TEST_CASE("phase runner: a child that ignores stop is killed") {
  Plan plan = sim_plan();
  plan.phases[0].io_timeout = kShortLimit;
  Recorder recorder;
  recorder.stop.store(true);
  for (const char* child : {"ignores stop", "never ready"}) {
    const std::string name = child;
    CAPTURE(name);
    if (name == "never ready") plan.phases[0].io_timeout = 30'000 * kMillisecond;
    const PhaseResult result = run(name, plan, kShort, recorder);
    CHECK(result.interrupted);
    CHECK_FALSE(result.completed);
    CHECK(result.reason == "interrupted; it did not end when asked to and was killed");
  }
}

TEST_CASE("phase runner: a phase that goes on past its timeout is stopped, then killed") {
  Plan plan = sim_plan();
  plan.phases[0].timeout = kShortLimit;
  plan.phases[0].io_timeout = kShortLimit;
  Recorder recorder;
  const PhaseResult result = run("ignores stop", plan, kShort, recorder);
  CHECK(result.reason ==
        "not done within its timeout of "s + kShortLimitText + "; it did not end when asked to and was killed");
  CHECK_FALSE(result.interrupted);
}

TEST_CASE("phase runner: what a child prints is kept, the last of it") {
  const PhaseResult result = run("prints a megabyte", {});
  CHECK(contains(result.reason, "ended with exit code 3"));
  CHECK(result.log_tail.size() <= 64 * 1024);
  CHECK(result.log_tail.size() > 60 * 1024);
  CHECK(result.log_tail.ends_with("m\nthe last words"));
}

TEST_CASE("phase runner: an engine that fails while it gives back what it had open costs the phase") {
  struct Row {
    std::string child, reason;
  };
  for (const Row& row : {Row{"a good result, then hangs", "had to be killed"},
                         {"a good result, then aborts", "was ended by signal 6 (Aborted) after it had reported"},
                         {"a good result, then exits with 3", "ended with exit code 3 after it had reported"}}) {
    CAPTURE(row.child);
    const PhaseResult result = run(row.child, row.child == "a good result, then hangs" ? kShort : ChildLimits{});
    CHECK_FALSE(result.completed);
    CHECK(contains(result.reason, row.reason));
    REQUIRE(result.data != nullptr);
    CHECK(result.data->window_end == 1000);
  }
}

TEST_CASE("phase runner: a good result may be followed by talk") {
  for (const char* child : {"a good result", "a good result, then a megabyte"}) {
    const std::string name = child;
    CAPTURE(name);
    const PhaseResult result = run(name, ChildLimits{});
    CHECK(result.completed);
    CHECK(result.reason == "");
    REQUIRE(result.data != nullptr);
    CHECK(result.data->window_end == 1000);
    if (contains(name, "megabyte")) CHECK(result.log_tail.ends_with("m\nthe last words"));
  }
}

TEST_CASE("phase runner: a program that is not there is an error") {
  Recorder recorder;
  ChildSettings settings = child_settings();
  settings.executable = "/nonexistent/diskproof";
  const PhaseResult result = run_phase(sim_plan(), 0, settings, recorder.stop, recorder);
  CHECK(result.reason == "starting the child process /nonexistent/diskproof: No such file or directory");
  CHECK_FALSE(result.completed);
}
