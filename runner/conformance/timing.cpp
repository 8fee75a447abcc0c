// What sleeping costs on this machine at this moment.
#include "conformance/timing.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace diskproof {

void sleep_ns(std::uint64_t ns) { std::this_thread::sleep_for(std::chrono::nanoseconds(ns)); }

std::uint64_t machine_slack() {
  std::uint64_t worst = 0;
  for (int i = 0; i < 5; ++i) {
    const std::uint64_t begin = monotonic_ns();
    sleep_ns(kMillisecond);
    worst = std::max(worst, monotonic_ns() - begin - kMillisecond);
  }
  return 5 * kMillisecond + 4 * worst;
}

}  // namespace diskproof
