// How many operations go to the engine in one submit call.
//
// A fixed batch stays as it is. `batch: auto` looks for the size that moves most operations: a disk that works while
// the worker does other things is best given what is free in small calls, so that it never waits for a call to be
// filled; where the calls cost more than the disk, large ones share their cost. It climbs: most of the time at the best
// size known, now and then at half and at twice that, and moves where these are faster.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "support/clock.hpp"

namespace diskproof {

class BatchSize {
 public:
  static constexpr std::uint32_t kLeast = 2;  // of `auto`

  // `batch` 0: auto.
  BatchSize(std::uint32_t batch, std::uint32_t depth) noexcept
      : least_(batch == 0 ? std::min(kLeast, depth) : batch),
        most_(batch == 0 ? depth : batch),
        top_(static_cast<std::uint32_t>(std::bit_width((most_ - 1) / least_))),
        now_(least_),
        wait_for_(batch == 0 ? 1 : batch) {}

  [[nodiscard]] std::uint32_t submit() const noexcept { return now_; }
  // Completions to wait for where nothing more can go out.
  [[nodiscard]] std::uint32_t reap() const noexcept { return wait_for_; }

  void reaped(std::uint32_t count) noexcept { done_ += count; }

  // Once in some rounds: what was reaped since the last look belongs to the size that was tried.
  void look(Ticks now) noexcept {
    if (top_ == 0) return;
    if (begin_ != 0 && now > begin_) {
      tallies_[tried_].add(done_, now - begin_);
      next_step();
    }
    begin_ = now;
    done_ = 0;
  }

 private:
  enum Tried : std::uint8_t { here, above, below };
  static constexpr std::uint32_t kLongestStay = 14;  // looks at a size between two excursions
  static constexpr double kBetter = 1.02;            // less is noise

  struct Tally {
    double done = 0, ticks = 0;

    void add(std::uint64_t more, Ticks time) noexcept {
      done += static_cast<double>(more);
      ticks += static_cast<double>(time);
    }
    void age() noexcept { done /= 2, ticks /= 2; }
    [[nodiscard]] double rate() const noexcept { return ticks == 0 ? 0 : done / ticks; }
  };

  // A cycle: `stay_` looks here, one at twice the size, one at half of it.
  void next_step() noexcept {
    ++step_;
    if (step_ == stay_ && level_ == top_) ++step_;
    if (step_ == stay_ + 1 && level_ == 0) ++step_;
    if (step_ > stay_ + 1) end_cycle();
    tried_ = step_ < stay_ ? here : step_ == stay_ ? above : below;
    const std::uint32_t level = tried_ == here ? level_ : tried_ == above ? level_ + 1 : level_ - 1;
    now_ = std::min(least_ << level, most_);
  }

  // Goes where it is faster; one cycle alone decides nothing.
  void end_cycle() noexcept {
    step_ = 0;
    stay_ = std::min(stay_ + 1, kLongestStay);
    if (stay_ == 2) return;
    const double bar = kBetter * tallies_[here].rate(), up = tallies_[above].rate(), down = tallies_[below].rate();
    if (std::max(up, down) > bar) return move_to(up > down ? level_ + 1 : level_ - 1);
    for (Tally& tally : tallies_) tally.age();
  }

  void move_to(std::uint32_t level) noexcept {
    level_ = level;
    stay_ = 1;
    tallies_ = {};
  }

  std::uint32_t least_, most_;
  std::uint32_t top_;  // the level of `most_`; level n is least_ << n
  std::uint32_t now_, wait_for_;
  std::uint32_t level_ = 0;
  std::uint32_t step_ = 0, stay_ = 1;
  Tried tried_ = here;
  std::array<Tally, 3> tallies_{};
  std::uint64_t done_ = 0;  // since the last look
  Ticks begin_ = 0;         // of it; 0: none yet
};

}  // namespace diskproof
