// What a network file system's client counted while a phase ran: its mount's, whoever used it.
#pragma once

#include <cstdint>
#include <optional>

namespace diskproof {

// Time from a request's sending to its answer.
struct RoundTrips {
  std::uint64_t calls = 0;
  std::uint64_t ns = 0;  // their sum
};

struct RpcTotals {  // NFS only
  std::uint64_t retransmits = 0, timeouts = 0;
  RoundTrips read, write, all;
};

struct NetworkTotals {
  std::uint64_t read_bytes = 0, write_bytes = 0;  // payload between client and server
  std::uint64_t calls = 0;
  std::optional<RpcTotals> rpc{};
};

// Calls `change(a.field, b.field)` for every counter of both.
template <class Change>
void with_counters(NetworkTotals& a, const NetworkTotals& b, Change change) {
  change(a.read_bytes, b.read_bytes);
  change(a.write_bytes, b.write_bytes);
  change(a.calls, b.calls);
  if (!a.rpc || !b.rpc) return a.rpc.reset();
  change(a.rpc->retransmits, b.rpc->retransmits);
  change(a.rpc->timeouts, b.rpc->timeouts);
  for (RoundTrips RpcTotals::*trips : {&RpcTotals::read, &RpcTotals::write, &RpcTotals::all}) {
    change((*a.rpc.*trips).calls, (*b.rpc.*trips).calls);
    change((*a.rpc.*trips).ns, (*b.rpc.*trips).ns);
  }
}

inline void add_counters(NetworkTotals& to, const NetworkTotals& from) {
  with_counters(to, from, [](std::uint64_t& a, std::uint64_t b) { a += b; });
}

// Nothing where a counter went back: the share was mounted again in between.
inline std::optional<NetworkTotals> counted_between(const NetworkTotals& before, NetworkTotals after) {
  bool forward = true;
  with_counters(after, before, [&](std::uint64_t& a, std::uint64_t b) {
    forward = forward && a >= b;
    a -= b;
  });
  return forward ? std::optional(after) : std::nullopt;
}

}  // namespace diskproof
