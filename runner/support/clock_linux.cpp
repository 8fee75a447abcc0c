// System clocks, thread CPU time and sleeping on Linux.
#include <cerrno>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <time.h>

#include "support/clock.hpp"

namespace diskproof {

namespace {

std::uint64_t read_clock(clockid_t id) noexcept {
  timespec ts{};
  clock_gettime(id, &ts);
  return static_cast<std::uint64_t>(ts.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(ts.tv_nsec);
}

std::uint64_t to_ns(const timeval& tv) noexcept {
  return static_cast<std::uint64_t>(tv.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(tv.tv_usec) * 1'000;
}

}  // namespace

std::uint64_t monotonic_ns() noexcept { return read_clock(CLOCK_MONOTONIC); }

ThreadCpu thread_cpu() noexcept {
  const std::uint64_t total = read_clock(CLOCK_THREAD_CPUTIME_ID);
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  const std::uint64_t user = to_ns(usage.ru_utime);
  const std::uint64_t sampled = user + to_ns(usage.ru_stime);
  if (sampled == 0) return {total, 0};
  const auto share = static_cast<double>(user) / static_cast<double>(sampled);
  const auto exact_user = static_cast<std::uint64_t>(static_cast<double>(total) * share);
  return {exact_user, total - exact_user};
}

// The kernel's clock between two cycle readings; the tightest of a few tries.
ClockSample sample_clocks() noexcept {
  ClockSample best;
  std::uint64_t tightest = ~std::uint64_t{0};
  for (int i = 0; i < 8; ++i) {
    const std::uint64_t before = read_cycles();
    const std::uint64_t raw = read_clock(CLOCK_MONOTONIC_RAW);
    const std::uint64_t after = read_cycles();
    if (after - before >= tightest) continue;
    tightest = after - before;
    best = {before + (after - before) / 2, raw};
  }
  return best;
}

// The kernel picks "tsc" only after it has checked the counter on every CPU, and drops it when it drifts.
bool cycle_counter_is_steady() {
  std::ifstream source("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  std::string name;
  return source >> name && name == "tsc";
}

void sleep_until_monotonic(std::uint64_t ns) noexcept {
  const timespec ts{static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, nullptr) == EINTR) {
  }
}

}  // namespace diskproof
