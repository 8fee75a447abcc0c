// Windows ends calls to a server that is gone by itself.
#include "target/reach.hpp"

namespace diskproof {

std::set<std::string> silent_paths(const std::vector<std::string>&, std::uint64_t) { return {}; }

bool takes_write(const std::string&, std::uint64_t) { return true; }

}  // namespace diskproof
