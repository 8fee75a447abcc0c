// A closer look at one round of the measured loop in 64: how much of it the runner itself took, and whether a batch was
// complete as a whole when its first completion was seen. One more clock reading per look, none in the other rounds.
#pragma once

#include <cstdint>

#include "support/clock.hpp"

namespace diskproof {

struct RoundTotals {
  Ticks own = 0;              // recording what was reaped, preparing what is submitted
  Ticks whole = 0;            // that, and the calls of the engine
  std::uint64_t batches = 0;  // submitted together, more than one
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
  void submits(Ticks begin, Ticks now, std::uint32_t count) noexcept {
    open_ = true;
    begin_ = begin;
    submit_ = now;
    sent_ = count;
  }
  [[nodiscard]] bool looking() const noexcept { return open_; }
  // After the reap of a round that is looked at; `left` are in flight. `stamped`: the engine tells when each I/O ended.
  void reaped(Ticks now, std::uint32_t left, bool stamped) noexcept {
    open_ = false;
    totals_.own += submit_ - begin_;
    totals_.whole += now - begin_;
    if (sent_ < 2) return;
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
  std::uint32_t sent_ = 0;
  bool open_ = false;
  Ticks begin_ = 0, submit_ = 0;
  RoundTotals totals_;
};

}  // namespace diskproof
