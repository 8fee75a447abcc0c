// How many operations go to the engine in one submit call.
//
// A fixed batch stays as it is. `batch: auto` follows the storage: a disk that works while the worker does other things
// gets what is free in calls of two, so that it never waits for a call to be filled; where every I/O completes inside
// the submit call there is nothing to overlap, and the calls grow up to the depth to share their cost.
#pragma once

#include <algorithm>
#include <cstdint>

namespace diskproof {

class BatchSize {
 public:
  static constexpr std::uint32_t kLeast = 2;  // of `auto`

  // `batch` 0: auto.
  BatchSize(std::uint32_t batch, std::uint32_t depth) noexcept
      : least_(batch == 0 ? std::min(kLeast, depth) : batch),
        most_(batch == 0 ? depth : batch),
        now_(least_),
        wait_for_(batch == 0 ? 1 : batch) {}

  [[nodiscard]] std::uint32_t submit() const noexcept { return now_; }
  // Completions to wait for where nothing more can go out.
  [[nodiscard]] std::uint32_t reap() const noexcept { return wait_for_; }
  // After a round. `whole`: all that was in flight was complete at the first look.
  void seen(bool whole) noexcept { now_ = whole ? std::min(now_ * 2, most_) : std::max(now_ / 2, least_); }

 private:
  std::uint32_t least_, most_, now_, wait_for_;
};

}  // namespace diskproof
