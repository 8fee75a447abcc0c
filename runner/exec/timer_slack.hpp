// How exactly the system wakes a thread that sleeps or waits with a timeout.
#pragma once

namespace diskproof {

// Asks for the most exact wake-ups that the system has, for the calling thread. A system that cannot is only less
// exact: lateness is measured.
void wake_exactly() noexcept;

}  // namespace diskproof
