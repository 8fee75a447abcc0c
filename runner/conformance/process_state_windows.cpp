// The working directory; of open files only whether there are any.
#include <filesystem>
#include <windows.h>

#include "conformance/process_state.hpp"
#include "support/path_text.hpp"

namespace diskproof {

ProcessState process_state() {
  ProcessState state;
  std::error_code failure;
  state.manners["working directory"] = text_of(std::filesystem::current_path(failure));
  return state;
}

void keep_descendants() {}  // the job object of the process does

// Nobody else may have it open for this to succeed.
std::uint64_t count_open(const std::string& path) {
  const HANDLE alone = CreateFileW(path_from(path).c_str(), GENERIC_READ, 0, nullptr, OPEN_EXISTING, 0, nullptr);
  if (alone == INVALID_HANDLE_VALUE) return GetLastError() == ERROR_SHARING_VIOLATION ? 1 : 0;
  CloseHandle(alone);
  return 0;
}

}  // namespace diskproof
