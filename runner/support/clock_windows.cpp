// System clocks, thread CPU time and sleeping on Windows.
#include <array>
#include <intrin.h>
#include <windows.h>

#include "support/clock.hpp"

namespace diskproof {

namespace {

#ifndef CREATE_WAITABLE_TIMER_HIGH_RESOLUTION
constexpr DWORD CREATE_WAITABLE_TIMER_HIGH_RESOLUTION = 0x2;  // since Windows 10 1803
#endif

constexpr std::uint64_t kSecond = 1'000'000'000;

std::uint64_t to_ns(const FILETIME& time) noexcept {
  return ((std::uint64_t{time.dwHighDateTime} << 32) | time.dwLowDateTime) * 100;
}

}  // namespace

std::uint64_t monotonic_ns() noexcept {
  LARGE_INTEGER rate, count;
  QueryPerformanceFrequency(&rate);  // 10 MHz wherever the counter is the TSC; read from a shared page
  QueryPerformanceCounter(&count);
  const auto ticks = static_cast<std::uint64_t>(count.QuadPart), hz = static_cast<std::uint64_t>(rate.QuadPart);
  return ticks / hz * kSecond + ticks % hz * kSecond / hz;
}

ThreadCpu thread_cpu() noexcept {
  FILETIME created, ended, kernel, user;
  if (GetThreadTimes(GetCurrentThread(), &created, &ended, &kernel, &user) == 0) return {};
  return {to_ns(user), to_ns(kernel)};
}

// The system's clock between two cycle readings; the tightest of a few tries.
ClockSample sample_clocks() noexcept {
  ClockSample best;
  std::uint64_t tightest = ~std::uint64_t{0};
  for (int i = 0; i < 8; ++i) {
    const std::uint64_t before = read_cycles();
    const std::uint64_t raw = monotonic_ns();
    const std::uint64_t after = read_cycles();
    if (after - before >= tightest) continue;
    tightest = after - before;
    best = {before + (after - before) / 2, raw};
  }
  return best;
}

// The processor's word for it; Windows has no other. The drift that is measured per phase tells where it is wrong.
bool cycle_counter_is_steady() {
  constexpr unsigned kExtended = 0x80000000, kPower = 0x80000007, kInvariantTsc = 1u << 8;
  std::array<int, 4> words{};
  __cpuid(words.data(), static_cast<int>(kExtended));
  if (static_cast<unsigned>(words[0]) < kPower) return false;
  __cpuid(words.data(), static_cast<int>(kPower));
  return (static_cast<unsigned>(words[3]) & kInvariantTsc) != 0;
}

void sleep_until_monotonic(std::uint64_t ns) noexcept {
  const HANDLE timer =
      CreateWaitableTimerExW(nullptr, nullptr, CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, TIMER_ALL_ACCESS);
  for (std::uint64_t now = monotonic_ns(); now < ns; now = monotonic_ns()) {
    LARGE_INTEGER due;
    due.QuadPart = -static_cast<LONGLONG>((ns - now + 99) / 100);  // negative: from now, in 100 ns
    if (timer != nullptr && SetWaitableTimer(timer, &due, 0, nullptr, nullptr, FALSE) != 0) {
      WaitForSingleObject(timer, INFINITE);
    } else {
      Sleep(static_cast<DWORD>((ns - now + 999'999) / 1'000'000));
    }
  }
  if (timer != nullptr) CloseHandle(timer);
}

}  // namespace diskproof
