// In the place of the ring loop where liburing is not there.
#include <stdexcept>

#include "bare_loop.hpp"

namespace diskproof::bench {

BareResult run_ring(const BareJob&) { throw std::runtime_error("built without liburing 2.3 or newer"); }

}  // namespace diskproof::bench
