// Timer resolution of Windows: 15.6 ms unless a process asks for more.
#include <windows.h>

#include <timeapi.h>

#include "exec/timer_slack.hpp"

namespace diskproof {

void wake_exactly() noexcept {
  constexpr UINT kResolution = 1;  // ms
  timeBeginPeriod(kResolution);    // until the process ends
}

}  // namespace diskproof
