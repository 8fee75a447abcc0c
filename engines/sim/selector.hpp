// Finds the operations of a Selector. Used under the disk's lock.
#pragma once

#include <cstdint>

#include "script.hpp"

namespace sim {

class Finder {
 public:
  explicit Finder(const Selector& selector) noexcept : selector_(selector), active_(selector.active()) {}

  bool finds(const dp_io& io) noexcept { return active_ && is_for(io) && counts_to(++seen_); }
  [[nodiscard]] std::uint64_t seen() const noexcept { return seen_; }

 private:
  [[nodiscard]] bool is_for(const dp_io& io) const noexcept {
    if ((selector_.operations >> io.op & 1) == 0) return false;
    if (selector_.length == 0) return true;
    return io.length != 0 && io.offset < selector_.offset + selector_.length &&
           selector_.offset < io.offset + io.length;
  }
  [[nodiscard]] bool counts_to(std::uint64_t number) const noexcept {
    return selector_.all || number == selector_.at || (selector_.every != 0 && number % selector_.every == 0);
  }

  const Selector selector_;
  const bool active_;
  std::uint64_t seen_ = 0;
};

}  // namespace sim
