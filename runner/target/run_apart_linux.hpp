// Runs what may hang, such as an unmount of a dead server, in a process of its own: what hangs there hangs alone.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace diskproof {

enum class Apart { done, failed, hangs };

struct ApartResult {
  Apart end = Apart::done;
  std::string reason;  // failed: what the action threw
};

// Waits at most `patience` ns. One that hangs is left to itself and ends when what it waits for does. The action must
// not need threads of this program.
ApartResult run_apart(const std::function<void()>& action, std::uint64_t patience);

}  // namespace diskproof
