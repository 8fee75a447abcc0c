// The workers of loads with extras.
#include "exec/lane_worker.hpp"

namespace diskproof {

template void PhaseExecution::run_worker<false, false, true>(Lane&);
template void PhaseExecution::run_worker<false, true, true>(Lane&);
template void PhaseExecution::run_worker<true, false, true>(Lane&);
template void PhaseExecution::run_worker<true, true, true>(Lane&);

}  // namespace diskproof
