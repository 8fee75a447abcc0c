// What some loads do besides starting the next operation at once: flushes after so many writes, thought after each
// completion, payloads that repeat, stamped or checked data, a stop by bytes where blocks differ in size. Only the
// workers of such loads have it (Worker's kExtras); the loop of the others does not know it.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include <diskproof/engine_abi.h>

#include "exec/lane_integrity.hpp"
#include "exec/payload.hpp"
#include "support/clock.hpp"

namespace diskproof {

struct ExtrasSetup {
  std::uint64_t flush_every = 0;  // acknowledged writes from one flush to the next; 0: none
  Ticks think_time = 0;
  bool counts_bytes = false;  // the worker's budget is bytes
  PayloadSetup payload{};
  LaneIntegrity* integrity = nullptr;  // stamps or checks; null: nothing is proven

  [[nodiscard]] bool wanted() const noexcept {
    return flush_every > 0 || think_time > 0 || counts_bytes || payload.wanted() || integrity != nullptr;
  }
};

class LoadExtras {
 public:
  LoadExtras(const ExtrasSetup& setup, std::uint32_t depth)
      : flush_every_(setup.flush_every),
        think_time_(setup.think_time),
        counts_bytes_(setup.counts_bytes),
        integrity_(setup.integrity),
        ready_(std::bit_ceil(depth), 0),
        mask_(std::bit_ceil(depth) - 1),
        freed_(depth) {
    if (setup.payload.wanted()) payload_.emplace(setup.payload);
  }

  [[nodiscard]] bool counts_bytes() const noexcept { return counts_bytes_; }
  [[nodiscard]] LaneIntegrity* integrity() const noexcept { return integrity_; }
  [[nodiscard]] std::optional<Payload>& payload() noexcept { return payload_; }

  // -- flushes: one is due when so many writes were acknowledged since the one before fell due.
  void acknowledged(std::uint8_t op) noexcept {
    if (op == DP_OP_WRITE) ++writes_;
  }
  [[nodiscard]] bool flush_due() const noexcept { return flush_every_ > 0 && writes_ >= flush_every_; }
  void flush_started() noexcept { writes_ -= flush_every_; }
  // What the warm-up still owes is not measured.
  void forget_flushes() noexcept { writes_ = 0; }

  // -- thought: tags are used in the order in which they became free, so one ring of times keeps up with theirs.
  [[nodiscard]] bool thinks() const noexcept { return think_time_ > 0; }
  void freed(Ticks now) noexcept { ready_[freed_++ & mask_] = now + think_time_; }
  void used(std::uint32_t count) noexcept { used_ += count; }
  // How many of the `free` tags may be used at `stamp`.
  [[nodiscard]] std::uint32_t usable(Ticks stamp, std::uint32_t free) const noexcept {
    if (!thinks()) return free;
    std::uint32_t count = 0;
    while (count < free && ready_[(used_ + count) & mask_] <= stamp) ++count;
    return count;
  }
  // When the first free tag may be used.
  [[nodiscard]] Ticks next_usable() const noexcept { return ready_[used_ & mask_]; }

 private:
  const std::uint64_t flush_every_;
  const Ticks think_time_;
  const bool counts_bytes_;
  LaneIntegrity* const integrity_;
  std::uint64_t writes_ = 0;
  std::vector<Ticks> ready_;
  const std::uint32_t mask_;
  std::uint32_t used_ = 0, freed_;  // only grow
  std::optional<Payload> payload_;
};

}  // namespace diskproof
