// A keyed permutation of 0 … n-1 without a table: every value exactly once per key, in an order that looks random.
//
// On the smallest power of two 2^b >= n, multiplying by an odd number, adding a key and xor-shifting are bijections;
// four rounds of them mix well (three leave neighbours correlated for one key in fifty; a factor near a power of two
// does too, so factors are 5 modulo 8 as in a good congruential generator). Values >= n are mapped again (cycle
// walking) until they fall below n: fewer than two rounds on average, since 2^b < 2n.
#pragma once

#include <bit>
#include <cstdint>

#include "exec/random.hpp"

namespace diskproof {

class Permutation {
 public:
  // n >= 1
  Permutation(std::uint64_t n, std::uint64_t key) noexcept : n_(n) {
    bits_ = n <= 1 ? 1u : static_cast<unsigned>(std::bit_width(n - 1));
    mask_ = bits_ == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits_) - 1;
    half_ = (bits_ + 1) / 2;
    rekey(key);
  }

  void rekey(std::uint64_t key) noexcept {
    Random random(key);
    for (Round& round : rounds_) round = {(random.next() & ~std::uint64_t{7}) | 5u, random.next()};
  }

  [[nodiscard]] std::uint64_t operator()(std::uint64_t index) const noexcept {
    std::uint64_t value = index;
    do value = mix(value);
    while (value >= n_);
    return value;
  }

 private:
  struct Round {
    std::uint64_t factor;  // odd
    std::uint64_t addend;
  };

  [[nodiscard]] std::uint64_t mix(std::uint64_t value) const noexcept {
    for (const Round& round : rounds_) {
      value = (value * round.factor + round.addend) & mask_;
      value ^= value >> half_;
    }
    return value;
  }

  std::uint64_t n_;
  std::uint64_t mask_ = 0;
  unsigned bits_ = 1;
  unsigned half_ = 1;
  Round rounds_[4]{};
};

}  // namespace diskproof
