// Random numbers by their place, not by their order: the Nth operation draws the same whatever else is drawn.
#pragma once

#include <cstdint>

namespace sim {

// What a number is drawn for.
enum class Stream : std::uint64_t { service = 1, slow, noise, cache, bit };

class Dice {
 public:
  explicit Dice(std::uint64_t seed) noexcept : seed_(mix(seed + kStep)) {}

  // Evenly spread over all 64 bits. `attempt` counts further numbers for the same purpose.
  [[nodiscard]] std::uint64_t roll(Stream stream, std::uint64_t number, std::uint64_t attempt = 0) const noexcept {
    return mix(mix(mix(seed_ ^ static_cast<std::uint64_t>(stream) * kStep) + number * kStep) + attempt * kStep);
  }
  // [0, 1)
  [[nodiscard]] double unit(Stream stream, std::uint64_t number, std::uint64_t attempt = 0) const noexcept {
    return static_cast<double>(roll(stream, number, attempt) >> 11) * 0x1p-53;
  }
  // 0 … sides-1, for sides up to 2^53
  [[nodiscard]] std::uint64_t pick(Stream stream, std::uint64_t number, std::uint64_t sides) const noexcept {
    return static_cast<std::uint64_t>(unit(stream, number) * static_cast<double>(sides));
  }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;  // 2^64 by the golden ratio
  static std::uint64_t mix(std::uint64_t x) noexcept {
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93;
    return x ^ x >> 32;
  }

  std::uint64_t seed_;
};

}  // namespace sim
