// Affinity masks: the CPUs of this process's group, 64 at most.
#include <fmt/format.h>

#include "support/cpu_list.hpp"
#include "support/error.hpp"
#include "support/system_windows.hpp"
#include "support/thread_affinity.hpp"

namespace diskproof {
namespace {

constexpr std::uint32_t kMaskBits = 64;

DWORD_PTR mask_of(const std::vector<std::uint32_t>& cpus) {
  DWORD_PTR mask = 0;
  for (const std::uint32_t cpu : cpus) mask |= cpu < kMaskBits ? DWORD_PTR{1} << cpu : 0;
  return mask;
}

DWORD_PTR process_mask() {
  DWORD_PTR process = 0, system = 0;
  return GetProcessAffinityMask(GetCurrentProcess(), &process, &system) != 0 ? process : 0;
}

// There is no call that only asks: setting answers what was before.
DWORD_PTR thread_mask() {
  const DWORD_PTR mask = SetThreadAffinityMask(GetCurrentThread(), process_mask());
  if (mask != 0) SetThreadAffinityMask(GetCurrentThread(), mask);
  return mask;
}

}  // namespace

std::vector<std::uint32_t> allowed_cpus() {
  std::vector<std::uint32_t> cpus;
  const DWORD_PTR mask = thread_mask();
  for (std::uint32_t cpu = 0; cpu < kMaskBits; ++cpu) {
    if ((mask >> cpu & 1) != 0) cpus.push_back(cpu);
  }
  return cpus;
}

void pin_this_thread(std::uint32_t cpu) {
  const DWORD_PTR mask = mask_of({cpu});
  if (mask != 0 && SetThreadAffinityMask(GetCurrentThread(), mask) != 0) return;
  const std::string why = mask == 0 ? "there is no such CPU" : error_text(GetLastError());
  throw Error(ErrorKind::unavailable, fmt::format("keeping a thread on CPU {}: {}; it may run on CPUs {}", cpu, why,
                                                  cpu_list_text(allowed_cpus())));
}

void keep_this_thread_off(const std::vector<std::uint32_t>& cpus) noexcept {
  const DWORD_PTR left = thread_mask() & ~mask_of(cpus);
  if (left != 0) SetThreadAffinityMask(GetCurrentThread(), left);
}

}  // namespace diskproof
