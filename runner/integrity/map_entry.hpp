// What the map knows of one granule: two words, changed by compare-and-swap only, so that any number of threads may
// begin and end writes of the same granule.
//
// A write supersedes what was acknowledged before it began. Writes that overlap in time may end up in either order, so
// the acceptable generations are a range: `oldest` to `newest`. `oldest` is the lowest generation that was in flight
// without a pause when the newest was acknowledged; it is rounded down where the range is wide. So a sound disk is
// never accused, and a granule that has been written without any pause since is the only one where an older generation
// may pass.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>

namespace diskproof {

inline constexpr std::uint32_t kGenerationBits = 44;  // 10 million writes per second for 20 days
inline constexpr std::uint64_t kLastGeneration = (std::uint64_t{1} << kGenerationBits) - 1;

// The acknowledged word.
struct Acknowledged {
  std::uint64_t newest = 0;  // generation; 0: nothing was acknowledged
  std::uint64_t oldest = 0;
  bool durable = false;   // the newest was written through: durable when it was acknowledged
  bool trimmed = false;   // a trim came after it or at the same time: it may be there or not
  bool in_doubt = false;  // a write after it or at the same time failed: what it wrote may be there or not

  [[nodiscard]] std::uint64_t packed() const noexcept {
    const auto spread = static_cast<std::uint64_t>(std::bit_width(newest - oldest));  // oldest >= newest - 2^spread + 1
    return newest | spread << kGenerationBits | std::uint64_t{durable} << 61 | std::uint64_t{trimmed} << 62 |
           std::uint64_t{in_doubt} << 63;
  }
  static Acknowledged unpacked(std::uint64_t word) noexcept {
    const std::uint64_t newest = word & kLastGeneration;
    const std::uint64_t width = (std::uint64_t{1} << (word >> kGenerationBits & 63)) - 1;
    const std::uint64_t lowest = newest > 0 ? 1 : 0;
    return {newest, newest > width + lowest ? newest - width : lowest, (word >> 61 & 1) != 0, (word >> 62 & 1) != 0,
            (word >> 63) != 0};
  }
  // Its data can be asked for.
  [[nodiscard]] bool expected() const noexcept { return newest > 0 && !trimmed; }

  bool operator==(const Acknowledged&) const = default;
};

// The word of what is in flight.
struct InFlightWrites {
  std::uint64_t lowest = 0;  // generation of all since there was nothing in flight
  std::uint64_t count = 0;   // writes and trims
  bool trims = false;        // one of them since is a trim
  bool failed = false;       // one of them since failed

  [[nodiscard]] std::uint64_t packed() const noexcept {
    return lowest | count << kGenerationBits | std::uint64_t{trims} << 62 | std::uint64_t{failed} << 63;
  }
  static InFlightWrites unpacked(std::uint64_t word) noexcept {
    return {word & kLastGeneration, word >> kGenerationBits & 0x3ffff, (word >> 62 & 1) != 0, (word >> 63) != 0};
  }
};

class MapEntry {
 public:
  void begin(std::uint64_t generation, bool trim) noexcept {
    change<InFlightWrites>(in_flight_, [&](InFlightWrites& now) {
      now.lowest = now.count == 0 ? generation : std::min(now.lowest, generation);
      now.trims = now.trims || trim;
      ++now.count;
    });
  }

  // A write; `durable`: written through.
  void acknowledge(std::uint64_t generation, bool durable) noexcept {
    change<Acknowledged>(acknowledged_, [&](Acknowledged& now) {
      const InFlightWrites others = in_flight();
      if (generation >= now.newest) now.durable = durable;
      now.newest = std::max(now.newest, generation);
      now.oldest = std::min(std::max(now.oldest, others.lowest), generation);  // generations may begin out of order
      now.trimmed = others.trims;
      now.in_doubt = others.failed;
    });
    keep_doubts();
    leave();
  }

  void acknowledge_trim() noexcept {
    change<Acknowledged>(acknowledged_, [](Acknowledged& now) { now.trimmed = true; });
    leave();
  }

  // What is there may be old or new, or partly each.
  void fail(std::uint64_t generation, bool trim) noexcept {
    change<InFlightWrites>(in_flight_, [](InFlightWrites& now) { now.failed = true; });
    change<Acknowledged>(acknowledged_, [&](Acknowledged& now) {
      now.in_doubt = true;
      now.trimmed = now.trimmed || trim;
      if (now.newest > 0) now.oldest = std::min(now.oldest, generation);
    });
    leave();
  }

  // It was never given to the disk.
  void withdraw() noexcept { leave(); }

  [[nodiscard]] Acknowledged acknowledged() const noexcept {
    return Acknowledged::unpacked(acknowledged_.load(std::memory_order_acquire));
  }
  [[nodiscard]] InFlightWrites in_flight() const noexcept {
    return InFlightWrites::unpacked(in_flight_.load(std::memory_order_acquire));
  }

 private:
  template <class Word, class Change>
  static void change(std::atomic<std::uint64_t>& word, Change make) noexcept {
    std::uint64_t before = word.load(std::memory_order_acquire);
    for (;;) {
      Word value = Word::unpacked(before);
      make(value);
      if (word.compare_exchange_weak(before, value.packed(), std::memory_order_acq_rel, std::memory_order_acquire)) {
        return;
      }
    }
  }

  // What another thread said of the granule between the look at it and the acknowledgement.
  void keep_doubts() noexcept {
    const InFlightWrites others = in_flight();
    if (!others.trims && !others.failed) return;
    change<Acknowledged>(acknowledged_, [&](Acknowledged& now) {
      now.trimmed = now.trimmed || others.trims;
      now.in_doubt = now.in_doubt || others.failed;
    });
  }

  void leave() noexcept {
    change<InFlightWrites>(in_flight_, [](InFlightWrites& now) {
      if (now.count > 0) --now.count;
      if (now.count == 0) now = {};
    });
  }

  std::atomic<std::uint64_t> acknowledged_;
  std::atomic<std::uint64_t> in_flight_;
};
static_assert(sizeof(MapEntry) == 16 && std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace diskproof
