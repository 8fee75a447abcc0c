// The only set-up of the log: stderr, never stdout. Not called from exec/worker.
#pragma once

namespace diskproof {

enum class LogLevel { quiet, normal };  // quiet: errors only

void set_up_log(LogLevel level);

}  // namespace diskproof
