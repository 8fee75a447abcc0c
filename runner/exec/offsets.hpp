// Where the next operation goes and how long it is: one class per pattern of access, chosen once per phase. None
// allocates while it runs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "exec/permutation.hpp"
#include "exec/random.hpp"
#include "exec/skewed_access.hpp"

namespace diskproof {

// The stripe [begin, end) of a target that one worker works on, in bytes.
struct Stripe {
  std::uint64_t begin = 0, end = 0;
  [[nodiscard]] std::uint64_t size() const noexcept { return end - begin; }
};

struct Place {
  std::uint64_t offset;
  std::uint32_t length;
};

// Draws a length by its share. Bounds are cumulative, in 1/2^32; the last is 2^32.
class Lengths {
 public:
  struct Share {
    std::uint64_t until;
    std::uint32_t length;
  };
  Lengths(std::vector<Share> shares, std::uint64_t seed) : shares_(std::move(shares)), random_(seed) {}

  // Index into the shares.
  std::size_t next() noexcept {
    const std::uint64_t drawn = random_.next() >> 32;
    std::size_t index = 0;
    while (drawn >= shares_[index].until) ++index;
    return index;
  }
  [[nodiscard]] std::uint32_t length(std::size_t index) const noexcept { return shares_[index].length; }
  [[nodiscard]] std::size_t count() const noexcept { return shares_.size(); }

 private:
  std::vector<Share> shares_;
  Random random_;
};

// Blocks in ascending order, around and around, with one cursor per direction. `stride` is a block, or a block times
// the workers that share a target block by block; the last block of a layout phase may be shorter.
class SequentialOffsets {
 public:
  SequentialOffsets(Stripe stripe, std::uint64_t block, std::uint64_t stride)
      : begin_(stripe.begin), end_(stripe.end), block_(block), stride_(stride) {
    std::fill(std::begin(cursor_), std::end(cursor_), begin_);
  }
  Place next(std::uint8_t op) noexcept {
    std::uint64_t& cursor = cursor_[op];
    const std::uint64_t offset = cursor;
    cursor = offset + stride_ < end_ ? offset + stride_ : begin_;
    return {offset, static_cast<std::uint32_t>(std::min(block_, end_ - offset))};
  }

 private:
  std::uint64_t begin_, end_, block_, stride_;
  std::uint64_t cursor_[3]{};  // read, write, trim
};

// Ascending too, in blocks of drawn lengths; starts again where the next one would not fit.
class WeightedSequentialOffsets {
 public:
  WeightedSequentialOffsets(Stripe stripe, Lengths lengths)
      : begin_(stripe.begin), end_(stripe.end), lengths_(std::move(lengths)) {
    std::fill(std::begin(cursor_), std::end(cursor_), begin_);
  }
  Place next(std::uint8_t op) noexcept {
    const std::uint32_t length = lengths_.length(lengths_.next());
    const std::uint64_t offset = cursor_[op] + length <= end_ ? cursor_[op] : begin_;
    cursor_[op] = offset + length;
    return {offset, length};
  }

 private:
  std::uint64_t begin_, end_;
  std::uint64_t cursor_[3]{};
  Lengths lengths_;
};

// Each whole block of the stripe once per pass, in a new order every pass, shared by all directions.
class CoveringOffsets {
 public:
  CoveringOffsets(Stripe stripe, std::uint64_t block, std::uint64_t seed)
      : begin_(stripe.begin),
        block_(block),
        blocks_(std::max<std::uint64_t>(stripe.size() / block, 1)),
        keys_(seed),
        order_(blocks_, keys_.next()) {}
  Place next(std::uint8_t) noexcept {
    if (index_ == blocks_) {
      index_ = 0;
      order_.rekey(keys_.next());
    }
    return {begin_ + order_(index_++) * block_, static_cast<std::uint32_t>(block_)};
  }

 private:
  std::uint64_t begin_, block_, blocks_;
  std::uint64_t index_ = 0;
  Random keys_;
  Permutation order_;
};

// Every block of the stripe with the same probability.
struct UniformDraw {
  std::uint64_t blocks;
  std::uint64_t operator()(Random& random) const noexcept { return below(random, blocks); }
};

// Ranks by their law, spread over the stripe in a keyed order: what is used most does not lie together.
template <class Ranks>
struct ScatteredDraw {
  Ranks ranks;
  Permutation places;
  std::uint64_t operator()(Random& random) const noexcept { return places(ranks(random)); }
};

// Each draw independent of the others, aligned to its own length. One Draw per length: each has blocks of its own.
template <class Draw>
class IndependentOffsets {
 public:
  IndependentOffsets(Stripe stripe, Lengths lengths, std::vector<Draw> draws, std::uint64_t seed)
      : begin_(stripe.begin), lengths_(std::move(lengths)), draws_(std::move(draws)), random_(seed) {}
  Place next(std::uint8_t) noexcept {
    const std::size_t index = draws_.size() == 1 ? 0 : lengths_.next();
    const std::uint32_t length = lengths_.length(index);
    return {begin_ + draws_[index](random_) * length, length};
  }

 private:
  std::uint64_t begin_;
  Lengths lengths_;
  std::vector<Draw> draws_;
  Random random_;
};

}  // namespace diskproof
