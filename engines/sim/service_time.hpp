// How long the disk works on each operation: the chosen distribution times a noise that remembers.
#pragma once

#include <cstdint>

#include "dice.hpp"
#include "script.hpp"

namespace sim {

class ServiceTime {
 public:
  explicit ServiceTime(const ServiceSpec& spec);
  // Ticks of the operation with this number. Numbers come in order where there is noise with a memory.
  std::uint64_t of(std::uint64_t number) noexcept { return varies_ ? varied(number) : spec_.time; }

 private:
  std::uint64_t varied(std::uint64_t number) noexcept;
  [[nodiscard]] double normal(Stream stream, std::uint64_t number) const noexcept;  // mean 0, variance 1
  [[nodiscard]] std::uint64_t drawn(std::uint64_t number) const noexcept;
  double noise_factor(std::uint64_t number) noexcept;

  const ServiceSpec spec_;
  const bool varies_;
  Dice dice_;
  double keep_, renew_;  // x' = keep x + renew e: variance stays 1
  double noise_ = 0;
  bool started_ = false;
};

}  // namespace sim
