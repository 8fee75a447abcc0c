// Redirectors count per machine, not per share; direct I/O is what goes around their cache.
#include "target/network_client.hpp"

namespace diskproof {

std::optional<NetworkTotals> network_counters(const NetworkMount&, const std::string&, const std::string&) {
  return std::nullopt;
}

void drop_client_cache(const std::vector<std::string>&) {}

}  // namespace diskproof
