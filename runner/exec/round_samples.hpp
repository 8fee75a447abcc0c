// A closer look at two rounds of the measured loop in 64. One tells how much of it the runner itself took, by one more
// clock reading. The other one, half-way between, reaps without waiting and tells whether all that had been submitted
// was complete by then: after a wait, a disk that completes in bunches would look like one that completes in the call.
#pragma once

#include <cstdint>

#include "support/clock.hpp"

namespace diskproof {

struct RoundTotals {
  Ticks own = 0;              // recording what was reaped, preparing what is submitted
  Ticks whole = 0;            // that, and the calls of the engine
  std::uint64_t batches = 0;  // two and more operations in flight at a peek
  std::uint64_t batches_seen_whole = 0;
};

class RoundSamples {
 public:
  static constexpr std::uint32_t kEvery = 64;

  // Whether this round is looked at.
  bool due() noexcept {
    if (--left_ != 0) [[likely]]
      return false;
    left_ = kEvery;
    return true;
  }
  // Right before the submit call of such a round, which began with the stamp after the last reap.
  void submits(Ticks begin, Ticks now) noexcept {
    open_ = true;
    begin_ = begin;
    submit_ = now;
  }
  [[nodiscard]] bool looking() const noexcept { return open_; }
  // After the reap of a round that is looked at.
  void reaped(Ticks now) noexcept {
    open_ = false;
    totals_.own += submit_ - begin_;
    totals_.whole += now - begin_;
  }

  // Whether this round is to reap without waiting.
  [[nodiscard]] bool peeks() const noexcept { return left_ == kEvery / 2; }
  // After that: `got` were complete, `left` are in flight. `stamped`: the engine tells when each I/O ended.
  void peeked(std::uint32_t got, std::uint32_t left, bool stamped) noexcept {
    if (got + left < 2) return;
    ++totals_.batches;
    if (left == 0 && !stamped) ++totals_.batches_seen_whole;
  }

  // A round that is under way at the edge belongs to neither side.
  void window_begins() noexcept {
    open_ = false;
    totals_ = {};
  }
  [[nodiscard]] const RoundTotals& totals() const noexcept { return totals_; }

 private:
  std::uint32_t left_ = kEvery;  // rounds until the next look
  bool open_ = false;
  Ticks begin_ = 0, submit_ = 0;
  RoundTotals totals_;
};

}  // namespace diskproof
