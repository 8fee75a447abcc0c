// Handles and private memory of this process, as Windows counts them.
#include <windows.h>
// after windows.h, which it needs
#include <psapi.h>

#include "conformance/resource_use.hpp"

namespace diskproof {

ResourceUse resource_use() {
  ResourceUse use;
  DWORD handles = 0;
  if (GetProcessHandleCount(GetCurrentProcess(), &handles) != 0) use.descriptors = handles;
  PROCESS_MEMORY_COUNTERS counters{};
  counters.cb = sizeof counters;
  if (K32GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof counters) != 0)
    use.mapped = counters.PagefileUsage;
  return use;
}

bool limit_file_size(std::uint64_t) { return false; }  // Windows has no such limit

}  // namespace diskproof
