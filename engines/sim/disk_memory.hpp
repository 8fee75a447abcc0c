// What the disk remembers from one phase to the next: credits, and what was written. Lies in zeroed memory that the
// processes of a run may share.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <thread>
#include <type_traits>

#include "limit.hpp"

namespace sim {

// A lock that works between processes and that nobody's death keeps locked: whoever waited long enough takes it.
class SharedLock {
 public:
  void lock() noexcept {
    for (std::uint32_t waited = 0; word_.exchange(1, std::memory_order_acquire) != 0; ++waited) {
      if (waited == kPatience) return;
      std::this_thread::yield();
    }
  }
  void unlock() noexcept { word_.store(0, std::memory_order_release); }

 private:
  static constexpr std::uint32_t kPatience = 20'000'000;  // many seconds, for a lock held for a microsecond
  std::atomic<std::uint32_t> word_;
};

struct DiskMemory {
  SharedLock lock;
  std::array<LimitMemory, kLimits> limits;
  std::uint64_t written;  // bytes, less what was trimmed
};
static_assert(std::is_trivially_destructible_v<DiskMemory> && std::atomic<std::uint32_t>::is_always_lock_free);

}  // namespace sim
