// Timer slack of Linux: 50 us unless a thread asks for less.
#include <sys/prctl.h>

#include "exec/timer_slack.hpp"

namespace diskproof {

void wake_exactly() noexcept {
  constexpr unsigned long kSlack = 1;  // ns
  static_cast<void>(prctl(PR_SET_TIMERSLACK, kSlack, 0, 0, 0));
}

}  // namespace diskproof
