// Timer resolution of Windows: 15.6 ms unless a process asks for more.
#include "exec/timer_slack.hpp"
#include "support/system_windows.hpp"
// after windows.h
#include <timeapi.h>

namespace diskproof {

void wake_exactly() noexcept {
  constexpr UINT kResolution = 1;  // ms
  timeBeginPeriod(kResolution);    // until the process ends
}

}  // namespace diskproof
