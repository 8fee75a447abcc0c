// A child started ahead of need: one at a time, taken once, left out where it will not do, gone with its owner.
#include "exec/spare_child.hpp"

#include <csignal>
#include <doctest/doctest.h>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <unistd.h>

#include "process_bench.hpp"
#include "support/error.hpp"

using namespace diskproof;
using namespace diskproof::testing;

namespace {

bool runs(std::int64_t pid) { return ::kill(static_cast<pid_t>(pid), 0) == 0; }

struct Bed {
  SpareChild spare{DISKPROOF_TEST_CHILD_PATH};
  ChildSettings settings = child_settings();
  Bed() { settings.spare = &spare; }
};

}  // namespace

TEST_CASE("a spare is one child, however often it is prepared, and is taken once") {
  Bed bed;
  bed.spare.prepare();
  bed.spare.prepare();
  const auto first = bed.spare.take();
  REQUIRE(first != nullptr);
  CHECK(runs(first->process_id()));
  CHECK(bed.spare.take() == nullptr);
}

TEST_CASE("a phase measures in the spare") {
  Bed bed;
  bed.spare.prepare();
  const Plan plan = sim_plan();
  Recorder recorder;
  const PhaseResult result = run_phase(plan, 0, bed.settings, recorder.stop, recorder);
  CAPTURE(result.reason);
  CHECK(result.completed);
  CHECK(bed.spare.take() == nullptr);  // used
}

TEST_CASE("a spare that has ended is left out") {
  SpareChild spare("/bin/true");
  spare.prepare();
  std::unique_ptr<ChildProcess> taken;
  for (int look = 0; look < 500; ++look) {  // until it has ended
    taken = spare.take();
    if (taken == nullptr) break;
    taken->wait(std::chrono::seconds(5));
    spare.prepare();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  CHECK(taken == nullptr);
}

TEST_CASE("a child that is to inherit descriptors is started anew, and the spare stays") {
  Bed bed;
  bed.spare.prepare();
  const auto started = start_child(bed.settings, {STDERR_FILENO});
  const auto spare = bed.spare.take();
  REQUIRE(spare != nullptr);
  CHECK(started->process_id() != spare->process_id());
}

TEST_CASE("a program that cannot be started shows where the child is needed") {
  SpareChild spare("/nowhere/diskproof");
  spare.prepare();
  CHECK(spare.take() == nullptr);
  ChildSettings settings;
  settings.executable = "/nowhere/diskproof";
  settings.spare = &spare;
  CHECK_THROWS_WITH_AS(start_child(settings), doctest::Contains("/nowhere/diskproof"), Error);
}

TEST_CASE("a spare that nobody took ends with its owner") {
  const auto children = [] {
    std::ifstream list("/proc/thread-self/children");
    return std::string(std::istreambuf_iterator<char>(list), {});
  };
  const std::string before = children();
  {
    SpareChild spare(DISKPROOF_TEST_CHILD_PATH);
    spare.prepare();
    CHECK(children() != before);
  }
  CHECK(children() == before);
}
