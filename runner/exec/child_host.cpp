// Host services of a phase's child.
#include "exec/child_host.hpp"

#include <cstdio>

#include "support/clock.hpp"

namespace diskproof {

namespace {

void log_line(void*, std::int32_t level, const char* utf8) {
  static constexpr const char* kNames[] = {"debug", "info", "warning", "error"};
  const char* name = level >= DP_LOG_DEBUG && level <= DP_LOG_ERROR ? kNames[level] : "log";
  std::fprintf(stderr, "%s: %s\n", name, utf8);
}

std::uint64_t now(void* clock) { return static_cast<const TickClock*>(clock)->now(); }

void wait_until(void* clock, std::uint64_t ticks) { static_cast<const TickClock*>(clock)->wait_until(ticks); }

}  // namespace

ChildHost::ChildHost(std::string state_dir, const TickClock& clock) : state_dir_(std::move(state_dir)), clock_(clock) {
  table_.size = sizeof(dp_host);
  table_.context = &clock_;
  table_.log = log_line;
  table_.now = now;
  table_.wait_until = wait_until;
  table_.ticks_per_second = clock_.scale().ticks_per_second;
  table_.state_dir = state_dir_.empty() ? nullptr : state_dir_.c_str();
}

}  // namespace diskproof
