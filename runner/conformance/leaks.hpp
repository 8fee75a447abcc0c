// Does the same again and again, and sees what grows.
#pragma once

#include <fmt/format.h>
#include <string>

#include "conformance/resource_use.hpp"
#include "conformance/rule.hpp"

namespace diskproof {

// How much more is in use after `cycles` more of them; empty: no more than allowed.
template <class Cycle>
std::string growth_of(const std::string& what, int cycles, Cycle& cycle) {
  constexpr std::uint64_t kHeap = 64;           // bytes per cycle
  constexpr std::uint64_t kMapped = 16 * 1024;  // bytes per cycle
  const ResourceUse before = resource_use();
  for (int i = 0; i < cycles; ++i) cycle();
  const ResourceUse after = resource_use();
  const auto times = static_cast<std::uint64_t>(cycles);
  if (after.descriptors > before.descriptors)
    return fmt::format("{} {} times left {} descriptors open", what, cycles, after.descriptors - before.descriptors);
  if (after.heap > before.heap + times * kHeap)
    return fmt::format("{} {} times left {} bytes of memory allocated", what, cycles, after.heap - before.heap);
  if (after.mapped > before.mapped + times * kMapped)
    return fmt::format("{} {} times left {} bytes mapped", what, cycles, after.mapped - before.mapped);
  return "";
}

// Throws Violation when `cycle` leaves descriptors or memory behind, again and again: what the first cycles keep
// (caches) is not counted, nor what the memory allocator keeps back once.
template <class Cycle>
void must_not_leak(const std::string& what, int cycles, Cycle&& cycle) {
  for (int i = 0; i < 5; ++i) cycle();
  if (growth_of(what, cycles, cycle).empty()) return;
  if (const std::string growth = growth_of(what, cycles, cycle); !growth.empty()) throw Violation(growth);
}

}  // namespace diskproof
