// What one worker has in flight: one entry per tag. The monitor's thread reads submit stamps and offsets, which the
// worker alone writes, with relaxed stores; the rest of an entry is the worker's own.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "support/clock.hpp"

namespace diskproof {

// A cache line of its own, so that the loop touches one per I/O.
struct alignas(64) Tag {
  static constexpr std::uint32_t kContinued = ~std::uint32_t{0};

  std::atomic<Ticks> submitted{0};  // 0: the engine does not have it
  std::atomic<std::uint64_t> offset{0};
  // Of the operation: the result that means success. kContinued, which no result equals: of a short I/O that goes on,
  // see the last three.
  std::uint32_t length = 0;
  std::uint8_t op = 0;
  bool measured = true;       // counted phases: false for the warm-up's
  std::uint16_t region = 0;   // where `data` lies
  void* data = nullptr;       // the buffer
  Ticks first_submitted = 0;  // not 0: continues a short I/O that was first submitted then
  std::uint32_t whole = 0;    // length of the operation
  std::uint32_t rest = 0;     // of the part that is in flight or waits

  [[nodiscard]] Ticks started() const noexcept { return submitted.load(std::memory_order_relaxed); }
};

class InFlightTable {
 public:
  explicit InFlightTable(std::uint32_t depth) : tags_(new Tag[depth]), depth_(depth) {}

  // `depth` of them, for the worker only.
  [[nodiscard]] Tag* tags() noexcept { return tags_.get(); }

  struct Oldest {
    std::uint32_t tag;
    Ticks submitted;
    std::uint64_t offset;
  };
  // Any thread.
  [[nodiscard]] std::optional<Oldest> oldest() const noexcept {
    std::optional<Oldest> found;
    for (std::uint32_t tag = 0; tag < depth_; ++tag) {
      const Ticks submitted = tags_[tag].submitted.load(std::memory_order_relaxed);
      if (submitted == 0 || (found && found->submitted <= submitted)) continue;
      found = Oldest{tag, submitted, tags_[tag].offset.load(std::memory_order_relaxed)};
    }
    return found;
  }

 private:
  std::unique_ptr<Tag[]> tags_;
  std::uint32_t depth_;
};

}  // namespace diskproof
