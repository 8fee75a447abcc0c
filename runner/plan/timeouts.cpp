// Default times of phases.
#include "plan/timeouts.hpp"

#include <algorithm>

namespace diskproof {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kSlowestBytes = 1'000'000;  // per second
constexpr std::uint64_t kSlowestOperations = 20;    // per second
constexpr std::uint64_t kLongest =
    std::uint64_t{365} * 24 * 3600;  // seconds, as long as a job can say; no product below overflows

}  // namespace

std::uint64_t default_timeout(const StopRule& stop, std::uint64_t warmup, std::uint64_t block_size, double rate) {
  const std::uint64_t margin = 60 * kSecond + 2 * std::min(warmup, kLongest * kSecond);
  if (stop.kind == StopRule::Kind::duration) return margin + 2 * std::min(stop.value, kLongest * kSecond);
  const bool counts_bytes = stop.kind == StopRule::Kind::bytes;
  const std::uint64_t operations = counts_bytes ? stop.value / block_size : stop.value;
  const std::uint64_t seconds_of_operations = operations / kSlowestOperations;
  // operations x block_size may not fit; the time for its bytes does.
  const double bytes = static_cast<double>(stop.value) * (counts_bytes ? 1.0 : static_cast<double>(block_size));
  const double seconds_of_bytes = bytes / kSlowestBytes;
  const double seconds_of_rate = rate > 0 ? 2 * static_cast<double>(operations) / rate : 0;
  const double longest = std::min(std::max(seconds_of_bytes, seconds_of_rate), static_cast<double>(kLongest));
  const std::uint64_t seconds =
      std::min(kLongest, std::max(seconds_of_operations, static_cast<std::uint64_t>(longest) + 1));
  return margin + seconds * kSecond;
}

std::uint64_t default_grid(const StopRule& stop) {
  const bool is_short = stop.kind == StopRule::Kind::duration && stop.value <= 10 * kSecond;
  return is_short ? kSecond / 10 : kSecond;
}

}  // namespace diskproof
