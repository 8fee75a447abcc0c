// The monotonic clock, thread CPU time and precise waiting on Linux.
#include <cerrno>
#include <sys/resource.h>
#include <time.h>

#include "support/clock.hpp"

namespace diskproof {

namespace {

// Timers are late by up to a scheduler tick; the last stretch is polled.
constexpr std::uint64_t kPollAhead = 100'000;

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

void SystemClock::wait_until(Ticks ticks) noexcept {
  std::uint64_t current = monotonic_ns();
  if (ticks > current + kPollAhead) {
    const std::uint64_t wake = ticks - kPollAhead;
    const timespec ts{static_cast<time_t>(wake / 1'000'000'000), static_cast<long>(wake % 1'000'000'000)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, nullptr) != 0) {
    }
  }
  while (monotonic_ns() < ticks) {
  }
}

}  // namespace diskproof
