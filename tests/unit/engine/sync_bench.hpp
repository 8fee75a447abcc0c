// Targets of the engine sync, and what it says when it does not attach one.
#pragma once

#include <cstdint>
#include <string>

#include "bench.hpp"
#include "support/error.hpp"

namespace diskproof::testing {

inline TargetSpec writable(const std::string& path, std::uint64_t size) {
  return {.spec = path, .size = size, .flags = DP_TARGET_WRITE};
}

inline std::string open_failure(const TargetSpec& target, std::uint32_t depth = 1) {
  ManualHost host;
  try {
    const Bench bench("sync", host, {.depth = depth, .target = target});
  } catch (const Error& error) {
    return error.what();
  }
  return "opened";
}

inline bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace diskproof::testing
