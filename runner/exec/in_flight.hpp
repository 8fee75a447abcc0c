// What one worker has in flight, readable from the monitor's thread: submit stamp and offset per tag, written by the
// worker alone with relaxed stores.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "support/clock.hpp"

namespace diskproof {

class InFlightTable {
 public:
  explicit InFlightTable(std::uint32_t depth) : entries_(new Entry[depth]), depth_(depth) {}

  void start(std::uint32_t tag, Ticks submitted, std::uint64_t offset) noexcept {
    entries_[tag].offset.store(offset, std::memory_order_relaxed);
    entries_[tag].submitted.store(submitted, std::memory_order_relaxed);
  }
  void finish(std::uint32_t tag) noexcept { entries_[tag].submitted.store(0, std::memory_order_relaxed); }
  [[nodiscard]] Ticks submitted(std::uint32_t tag) const noexcept {
    return entries_[tag].submitted.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t offset(std::uint32_t tag) const noexcept {
    return entries_[tag].offset.load(std::memory_order_relaxed);
  }

  struct Oldest {
    std::uint32_t tag;
    Ticks submitted;
    std::uint64_t offset;
  };
  [[nodiscard]] std::optional<Oldest> oldest() const noexcept {
    std::optional<Oldest> found;
    for (std::uint32_t tag = 0; tag < depth_; ++tag) {
      const Ticks submitted = entries_[tag].submitted.load(std::memory_order_relaxed);
      if (submitted == 0 || (found && found->submitted <= submitted)) continue;
      found = Oldest{tag, submitted, entries_[tag].offset.load(std::memory_order_relaxed)};
    }
    return found;
  }

 private:
  struct Entry {
    std::atomic<Ticks> submitted{0};  // 0: not in flight
    std::atomic<std::uint64_t> offset{0};
  };
  std::unique_ptr<Entry[]> entries_;
  std::uint32_t depth_;
};

}  // namespace diskproof
