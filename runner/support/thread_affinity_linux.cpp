// sched_getaffinity and sched_setaffinity, with masks as long as this kernel's.
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <fmt/format.h>
#include <sched.h>

#include "support/cpu_list.hpp"
#include "support/error.hpp"
#include "support/system_text.hpp"
#include "support/thread_affinity.hpp"

namespace diskproof {
namespace {

class CpuMask {
 public:
  explicit CpuMask(std::size_t cpus = kHighestCpu + 1) : size_(CPU_ALLOC_SIZE(cpus)), set_(CPU_ALLOC(cpus)) {
    if (set_ == nullptr) throw std::bad_alloc();
    CPU_ZERO_S(size_, set_);
  }
  ~CpuMask() { CPU_FREE(set_); }
  CpuMask(const CpuMask&) = delete;
  CpuMask& operator=(const CpuMask&) = delete;

  void add(std::uint32_t cpu) { CPU_SET_S(cpu, size_, set_); }
  [[nodiscard]] bool has(std::uint32_t cpu) const { return CPU_ISSET_S(cpu, size_, set_); }
  bool load() { return sched_getaffinity(0, size_, set_) == 0; }
  [[nodiscard]] bool store() const { return sched_setaffinity(0, size_, set_) == 0; }

 private:
  std::size_t size_;
  cpu_set_t* set_;
};

}  // namespace

std::vector<std::uint32_t> allowed_cpus() {
  CpuMask mask;
  if (!mask.load()) {
    throw Error(ErrorKind::unavailable, "cannot tell which CPUs may be used: " + system_text(errno));
  }
  std::vector<std::uint32_t> cpus;
  for (std::uint32_t cpu = 0; cpu <= kHighestCpu; ++cpu) {
    if (mask.has(cpu)) cpus.push_back(cpu);
  }
  return cpus;
}

void pin_this_thread(std::uint32_t cpu) {
  CpuMask mask;
  mask.add(cpu);
  if (mask.store()) return;
  throw Error(ErrorKind::unavailable, fmt::format("keeping a thread on CPU {}: {}; it may run on CPUs {}", cpu,
                                                  system_text(errno), cpu_list_text(allowed_cpus())));
}

void keep_this_thread_off(const std::vector<std::uint32_t>& cpus) noexcept {
  try {
    CpuMask rest;
    bool any = false;
    for (const std::uint32_t cpu : allowed_cpus()) {
      if (std::find(cpus.begin(), cpus.end(), cpu) != cpus.end()) continue;
      rest.add(cpu);
      any = true;
    }
    static_cast<void>(any && rest.store());  // it is a courtesy to the others
  } catch (const std::exception&) {
  }
}

}  // namespace diskproof
