// Memory as the system counts it. Limits of job objects are not looked at.
#include "cli/memory.hpp"
#include "support/error.hpp"
#include "support/system_windows.hpp"

namespace diskproof {

AvailableMemory available_memory(const std::string&) {
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof status;
  if (GlobalMemoryStatusEx(&status) == 0) {
    throw Error(ErrorKind::unavailable, "cannot tell how much memory is available: " + error_text(GetLastError()));
  }
  return {status.ullAvailPhys, "this machine's available memory"};
}

}  // namespace diskproof
