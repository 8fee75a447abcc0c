// What one interruption does, and what another one after it.
#include "cli/stop_control.hpp"

#include <doctest/doctest.h>
#include <thread>

namespace diskproof {
namespace {

std::atomic<int> asked{0};
int interruptions() noexcept { return asked.load(); }

void wait_for(const std::atomic<bool>& flag) {
  while (!flag.load()) std::this_thread::yield();
}

TEST_CASE("stop control: an interruption stops, one that comes later hurries, two at once are one") {
  asked = 0;
  const StopControl stop(0, interruptions);
  CHECK_FALSE(stop.flag());
  asked = 2;
  wait_for(stop.flag());
  CHECK(stop.cause() == StopControl::Cause::interrupted);
  std::this_thread::sleep_for(std::chrono::milliseconds(120));  // two more polls
  CHECK_FALSE(stop.hurry());
  asked = 3;
  wait_for(stop.hurry());
  CHECK(stop.cause() == StopControl::Cause::interrupted);
}

TEST_CASE("stop control: after the timeout the first interruption hurries") {
  asked = 0;
  const StopControl stop(1, interruptions);
  wait_for(stop.flag());
  CHECK(stop.cause() == StopControl::Cause::timeout);
  asked = 1;
  wait_for(stop.hurry());
  CHECK(stop.cause() == StopControl::Cause::timeout);
}

}  // namespace
}  // namespace diskproof
