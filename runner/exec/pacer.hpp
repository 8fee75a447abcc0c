// When the operations of an open loop are meant to start, whatever the disk does: kept for one worker.
//
// The rate of a phase is dealt to its threads in turn, so that together they start evenly: thread w of T starts its
// k-th operation (w + k T) / rate after go. Times are kept in ticks with a 32-bit fraction: no rounding adds up.
// With Poisson arrivals each thread has a process of its own with its part of the rate, which together are one process
// of the whole rate. Its gaps are the mean gap x -ln(1 - u), with u from the seed by portable_math: the same on every
// system, in units of the mean.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "exec/random.hpp"
#include "metrics/histogram.hpp"
#include "metrics/run_data.hpp"
#include "support/clock.hpp"

namespace diskproof {

struct PaceSetup {
  double rate = 0;  // operations per second of the phase; 0: a closed loop
  std::uint32_t worker = 0;
  std::uint32_t workers = 1;
  std::optional<std::uint64_t> random_gaps{};  // Poisson arrivals: the seed of this worker's gaps
};

class Pacer {
 public:
  Pacer(const PaceSetup& setup, Ticks go, const TickScale& scale) noexcept;

  // Intended start of the next operation.
  [[nodiscard]] Ticks next() const noexcept { return next_; }
  void advance() noexcept {
    if (gaps_) draw_step();
    const std::uint64_t fraction = std::uint64_t{fraction_} + step_fraction_;
    next_ += step_ + (fraction >> 32);
    fraction_ = static_cast<std::uint32_t>(fraction);
  }
  // How many operations are meant to start before `end`, from the next one on; counted up to `most`.
  [[nodiscard]] std::uint64_t count_before(Ticks end, std::uint64_t most = ~std::uint64_t{0}) const noexcept;

 private:
  struct RandomGaps {
    Random random;
    double mean;  // ticks
  };
  void draw_step() noexcept;
  [[nodiscard]] std::uint64_t walk_before(Ticks end, std::uint64_t most) const noexcept;

  Ticks next_;
  Ticks step_ = 0;  // to the one after it
  std::uint32_t fraction_ = 0;
  std::uint32_t step_fraction_ = 0;
  std::optional<RandomGaps> gaps_;
};

// How late the runner itself started operations, and how many it could not start. An operation that waited because
// every tag was in flight is the disk's delay: it shows in its latency, not here.
class Punctuality {
 public:
  void tags_ran_out() noexcept { ran_out_ = true; }
  void tag_came_back(Ticks stamp) noexcept {
    if (!ran_out_) return;
    ran_out_ = false;
    free_since_ = stamp;
  }
  void started(Ticks intended, Ticks stamp, const TickScale& scale) noexcept {
    ++issued_;
    if (intended >= free_since_) lateness_.record(scale.to_ns(stamp - intended));
  }
  void window_begins() noexcept {
    lateness_.clear();
    issued_ = 0;
  }

  [[nodiscard]] const Histogram& lateness() const noexcept { return lateness_; }
  [[nodiscard]] std::uint64_t issued() const noexcept { return issued_; }

 private:
  bool ran_out_ = false;
  Ticks free_since_ = 0;
  std::uint64_t issued_ = 0;  // since the window began
  Histogram lateness_;        // ns
};

// What a worker keeps beside its state when it paces: its schedule, when each tag was meant to start, and latency from
// submission, since its other latency counts from the intended start.
class OpenLoop {
 public:
  OpenLoop(const PaceSetup& setup, std::uint32_t depth, Ticks go, const TickScale& scale)
      : pacer(setup, go, scale), intended(depth) {}

  void window_begins(Ticks begin) noexcept {
    late_ = pacer.count_before(begin);
    punctuality.window_begins();
    for (Histogram& histogram : service) histogram.clear();
  }
  void window_ends(Ticks end) noexcept {
    unissued = pacer.count_before(end);
    issued = punctuality.issued();
    due = issued + unissued - late_;
    lateness = punctuality.lateness();
  }

  // Of a counted phase nothing is meant to start beyond its count; in bytes that is a bound too.
  void forget_unissued_beyond(std::uint64_t budget) noexcept { unissued = std::min(unissued, budget); }

  Pacer pacer;
  Punctuality punctuality;
  std::vector<Ticks> intended;  // by tag
  std::array<Histogram, kDirections> service{};
  // Of the window, once it has ended.
  std::uint64_t unissued = 0, issued = 0;
  std::uint64_t due = 0;  // meant to start inside it
  Histogram lateness;

 private:
  std::uint64_t late_ = 0;  // meant to start before the window, and not started by then
};

}  // namespace diskproof
