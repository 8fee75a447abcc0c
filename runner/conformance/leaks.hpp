// Does the same again and again, and sees what grows.
#pragma once

#include <fmt/format.h>
#include <string>

#include "conformance/resource_use.hpp"
#include "conformance/rule.hpp"

namespace diskproof {

// Throws Violation when `cycle` leaves descriptors or memory behind. What the first cycles keep (caches) is not
// counted. `what` reads "opening and closing a queue".
template <class Cycle>
void must_not_leak(const std::string& what, int cycles, Cycle&& cycle) {
  constexpr std::uint64_t kHeap = 64;           // bytes per cycle
  constexpr std::uint64_t kMapped = 16 * 1024;  // bytes per cycle
  for (int i = 0; i < 5; ++i) cycle();
  const ResourceUse before = resource_use();
  for (int i = 0; i < cycles; ++i) cycle();
  const ResourceUse after = resource_use();
  const auto times = static_cast<std::uint64_t>(cycles);
  if (after.descriptors > before.descriptors)
    throw Violation(
        fmt::format("{} {} times left {} descriptors open", what, cycles, after.descriptors - before.descriptors));
  if (after.heap > before.heap + times * kHeap)
    throw Violation(
        fmt::format("{} {} times left {} bytes of memory allocated", what, cycles, after.heap - before.heap));
  if (after.mapped > before.mapped + times * kMapped)
    throw Violation(fmt::format("{} {} times left {} bytes mapped", what, cycles, after.mapped - before.mapped));
}

}  // namespace diskproof
