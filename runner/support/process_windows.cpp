// Process identities on Windows. A creation time is a date, so that it tells the processes of different starts of the
// system apart too.
#include "support/process.hpp"
#include "support/system_windows.hpp"

namespace diskproof {
namespace {

constexpr const char* kBoot = "windows";

// 100 ns since 1601; 0 when it cannot be told.
std::uint64_t creation_time(HANDLE process) {
  FILETIME created, ended, kernel, user;
  if (GetProcessTimes(process, &created, &ended, &kernel, &user) == 0) return 0;
  return (std::uint64_t{created.dwHighDateTime} << 32) | created.dwLowDateTime;
}

}  // namespace

ProcessIdentity current_process() {
  return {.pid = GetCurrentProcessId(), .start_time = creation_time(GetCurrentProcess()), .boot_id = kBoot};
}

bool is_running(const ProcessIdentity& process) {
  if (process.pid <= 0 || process.pid > 0xFFFFFFFFLL || process.boot_id != kBoot) return false;
  const Handle handle(
      OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION | SYNCHRONIZE, FALSE, static_cast<DWORD>(process.pid)));
  if (!handle) return GetLastError() == ERROR_ACCESS_DENIED;  // somebody's, and perhaps the one that is meant
  return WaitForSingleObject(handle.get(), 0) == WAIT_TIMEOUT && creation_time(handle.get()) == process.start_time;
}

}  // namespace diskproof
