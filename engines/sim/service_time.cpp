// Floating point here is +, -, *, /, sqrt and real.hpp's functions, all of them exact to the bit everywhere.
#include "service_time.hpp"

#include <algorithm>
#include <cmath>

#include "real.hpp"

namespace sim {
namespace {

constexpr double kLongest = 0x1p62;  // ticks

std::uint64_t ticks(double time) noexcept { return static_cast<std::uint64_t>(std::clamp(time, 0.0, kLongest) + 0.5); }

}  // namespace

ServiceTime::ServiceTime(const ServiceSpec& spec)
    : spec_(spec),
      varies_(spec.distribution != Distribution::constant || spec.noise > 0),
      dice_(spec.seed),
      keep_(1 - 1 / static_cast<double>(spec.noise_memory)),
      renew_(std::sqrt(1 - keep_ * keep_)) {}

std::uint64_t ServiceTime::varied(std::uint64_t number) noexcept {
  const std::uint64_t time = drawn(number);
  if (spec_.noise == 0) return time;
  return ticks(static_cast<double>(time) * noise_factor(number));
}

std::uint64_t ServiceTime::drawn(std::uint64_t number) const noexcept {
  switch (spec_.distribution) {
    case Distribution::uniform:
      return spec_.time - spec_.spread + dice_.pick(Stream::service, number, 2 * spec_.spread + 1);
    case Distribution::lognormal:
      return ticks(static_cast<double>(spec_.time) * exponential(spec_.sigma * normal(Stream::service, number)));
    case Distribution::bimodal:
      return dice_.pick(Stream::slow, number, spec_.slow_one_in) == 0 ? spec_.slow_time : spec_.time;
    case Distribution::constant:
      break;
  }
  return spec_.time;
}

// Marsaglia's polar method; a pair outside the circle is drawn again.
double ServiceTime::normal(Stream stream, std::uint64_t number) const noexcept {
  for (std::uint64_t attempt = 0;; attempt += 2) {
    const double u = 2 * dice_.unit(stream, number, attempt) - 1;
    const double v = 2 * dice_.unit(stream, number, attempt + 1) - 1;
    const double square = u * u + v * v;
    if (square > 0 && square < 1) return u * std::sqrt(-2 * natural_log(square) / square);
  }
}

double ServiceTime::noise_factor(std::uint64_t number) noexcept {
  const double fresh = normal(Stream::noise, number);
  noise_ = started_ ? keep_ * noise_ + renew_ * fresh : fresh;
  started_ = true;
  return 1 + spec_.noise * noise_;
}

}  // namespace sim
