// What sleeping costs on this machine at this moment.
#include "conformance/timing.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

namespace diskproof {

void sleep_ns(std::uint64_t ns) { std::this_thread::sleep_for(std::chrono::nanoseconds(ns)); }

std::uint64_t machine_slack() {
  std::array<std::uint64_t, 7> late{};
  for (std::uint64_t& one : late) {
    const std::uint64_t begin = monotonic_ns();
    sleep_ns(kMillisecond);
    one = monotonic_ns() - begin - kMillisecond;
  }
  std::ranges::nth_element(late, late.begin() + late.size() / 2);
  return std::min(5 * kMillisecond + 4 * late[late.size() / 2], kMostSlack);
}

}  // namespace diskproof
